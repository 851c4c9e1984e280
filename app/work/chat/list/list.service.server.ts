import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { dayIn } from "~/core/time-zone";
import { type AuditActor, append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { findActiveGeneration } from "../answer/active-generation.server";
import { sweepAfterCommit } from "../attachments/blobs.server";
import { type ConversationRow, updateConversation } from "../chat.repo.server";
import type { Conversation, ConversationPatch, ConversationSummary } from "../chat.schema";
import { assertNotCompared, requireConversation } from "../chat.service.server";
import { activityOf, changeSharing, readConversation, toSummary } from "../conversations.service.server";
import { listFolders, requireFolder } from "../projects/projects.service.server";
import { announceConversations } from "./announce.server";
import {
  findDeleted,
  hasRemovable,
  listDeletedAt,
  listForNavigation,
  listRemovable,
  mendDeletions,
  removeConversation,
} from "./list.repo.server";
import {
  type ConversationNavigation,
  type ListedConversation,
  type ListPeriod,
  UNDO_TIME,
} from "./list.schema";

const PURGED_AT_ONCE = 1000;

type ListPatch = Omit<ConversationPatch, "sharingAllowed">;

function requireListed(actor: Actor, id: string): ConversationRow {
  const row = requireConversation(actor, id);
  assertNotCompared(row);
  return row;
}

export const readListed = (actor: Actor, id: string): ConversationSummary => {
  authorise(actor, "chat.use");
  return toSummary(requireListed(actor, id));
};

type ListAction =
  | "conversation.renamed"
  | "conversation.pinned"
  | "conversation.unpinned"
  | "conversation.archived"
  | "conversation.unarchived"
  | "conversation.moved";
type Change = [action: ListAction, fields: Partial<ConversationRow>];

function changesIn(tx: Db, actor: Actor, row: ConversationRow, patch: ListPatch): Change[] {
  const changes: Change[] = [];
  const { title, pinned, archived, folderId } = patch;
  if (title !== undefined && title !== row.title) {
    changes.push(["conversation.renamed", { title, titleSource: "person" }]);
  }
  if (pinned !== undefined && pinned !== (row.pinnedAt !== null)) {
    const action = pinned ? "conversation.pinned" : "conversation.unpinned";
    changes.push([action, { pinnedAt: pinned ? now() : null }]);
  }
  if (archived !== undefined && archived !== (row.archivedAt !== null)) {
    const action = archived ? "conversation.archived" : "conversation.unarchived";
    changes.push([action, { archivedAt: archived ? now() : null }]);
  }
  if (folderId !== undefined && folderId !== row.folderId) {
    if (folderId !== null) requireFolder(tx, actor, folderId);
    changes.push(["conversation.moved", { folderId }]);
  }
  return changes;
}

export function changeConversations(actor: Actor, ids: readonly string[], patch: ListPatch): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    for (const id of ids) {
      for (const [action, fields] of changesIn(tx, actor, requireListed(actor, id), patch)) {
        updateConversation(tx, id, fields);
        append(tx, actor, { action, resource: `conversation:${id}` });
      }
    }
  });
  announceConversations(actor);
}

export function changeConversation(actor: Actor, id: string, patch: ConversationPatch): Conversation {
  const { sharingAllowed, ...listPatch } = patch;
  transaction(() => {
    changeConversations(actor, [id], listPatch);
    if (sharingAllowed !== undefined) changeSharing(actor, id, { sharingAllowed });
  });
  return readConversation(actor, id);
}

/** Hides a conversation; `purgeConversations` removes it ten minutes later. */
export function markDeleted(
  tx: Db,
  actor: AuditActor,
  id: string,
  deletedAt: number,
  details: { retentionDays?: number } = {},
): void {
  updateConversation(tx, id, { deletedAt });
  append(tx, actor, { action: "conversation.deleted", resource: `conversation:${id}`, details });
}

/** Soft-deletes conversations for ten minutes. @returns the time of deletion, which identifies them */
export function deleteConversations(actor: Actor, ids: readonly string[]): { deletedAt: number } {
  authorise(actor, "chat.use");
  const deletedAt = now();
  const remove = (tx: Db) => {
    for (const id of ids) {
      requireListed(actor, id);
      markDeleted(tx, actor, id, deletedAt);
    }
  };
  withReserve(actor, () => transaction(remove));
  for (const id of ids) findActiveGeneration(id)?.stop("stopped");
  announceConversations(actor);
  return { deletedAt };
}

function assertInTime(deletedAt: number | null | undefined): void {
  if (deletedAt != null && now() - deletedAt < UNDO_TIME) return;
  throw new AppError("gone", "The conversation was deleted more than ten minutes ago and can't be restored.");
}

function restore(tx: Db, actor: Actor, id: string): void {
  updateConversation(tx, id, { deletedAt: null });
  append(tx, actor, { action: "conversation.restored", resource: `conversation:${id}` });
  announceConversations(actor);
}

/** Restores a deletion. @throws AppError `gone` after ten minutes */
export function restoreConversations(actor: Actor, deletedAt: number): number {
  authorise(actor, "chat.use");
  return transaction((tx) => {
    const ids = listDeletedAt(tx, actor, deletedAt);
    assertInTime(ids.length > 0 ? deletedAt : null);
    for (const id of ids) restore(tx, actor, id);
    return ids.length;
  });
}

/** Restores deleted conversations. @throws AppError `not_found`, `gone` after ten minutes */
export function restoreDeleted(actor: Actor, ids: readonly string[]): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    for (const id of ids) {
      const deleted = findDeleted(tx, actor, id);
      if (!deleted) throw new AppError("not_found", "Deleted conversation not found.");
      assertInTime(deleted.deletedAt);
      restore(tx, actor, id);
    }
  });
}

export function restoreConversation(actor: Actor, id: string): Conversation {
  restoreDeleted(actor, [id]);
  return readConversation(actor, id);
}

export const hasDuePurges = (): boolean => hasRemovable(db());

/** Hard-deletes expired conversations, the long ones in turns of their own. @returns how many */
export async function purgeConversations(signal?: AbortSignal): Promise<number> {
  transaction((tx) => mendDeletions(tx, now()));
  const removed = await runInBatches(listRemovable(db(), PURGED_AT_ONCE), removeConversation, { signal });
  if (removed > 0) transaction(sweepAfterCommit);
  return removed;
}

/** Conversations listed beside up to as many pinned ones, and as many of each open folder. */
const MAX_RECENT = 20;

/**
 * Empty for those who can't chat.
 * @param openFolders ids of the folders whose conversations are listed
 */
export function listNavigation(actor: Actor, openFolders: readonly string[] = []): ConversationNavigation {
  if (!may(actor, "chat.use")) return { conversations: [], folders: [] };
  const zone = orgTimeZone(actor.orgId);
  const present = now();
  const today = dayIn(present, zone);
  const periodOf = (at: number) =>
    dayIn(at, zone) === today ? "today" : present - at < 7 * DAY ? "week" : "older";
  const opened = new Set(openFolders);
  const folders = listFolders(actor).map((folder) => ({ ...folder, isOpen: opened.has(folder.id) }));
  const shown = folders.filter(({ isOpen }) => isOpen).map((folder) => folder.id);
  const { pinned, newest, filed } = listForNavigation(db(), actor, shown, MAX_RECENT);
  const listAs = (row: (typeof newest)[number], period: ListPeriod): ListedConversation => ({
    id: row.id,
    title: row.title,
    activity: activityOf(row, row.status),
    pinned: row.pinnedAt !== null,
    folderId: row.folderId,
    period,
  });
  const conversations = [
    ...pinned.map((row) => listAs(row, "pinned")),
    ...newest.map((row) => listAs(row, periodOf(row.updatedAt))),
    ...filed.map((row) => listAs(row, "folder")),
  ];
  return { conversations, folders };
}
