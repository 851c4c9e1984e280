import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY, isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret, newId, newSecret } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { listGroupNames } from "~/team/members/groups.service.server";
import { listColleagues, nameOf } from "~/team/members/member-names.service.server";
import { type ConversationRow, listBranch } from "../chat.repo.server";
import { assertNotCompared, requireConversation } from "../chat.service.server";
import * as repo from "./shares.repo.server";
import {
  type ConversationReader,
  type LinkInput,
  MAX_LINKS,
  type OrganizationLink,
  type ShareInput,
  type ShareLink,
  type Sharing,
} from "./shares.schema";

export const areLinksAllowed = (orgId: string): boolean => readSetting(orgId, "security.allowShareLinks");

function toShareLink({ id, createdAt, expiresAt, lastOpenedAt }: repo.LinkRow): ShareLink {
  return {
    id,
    createdAt: isoTime(createdAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    lastOpenedAt: lastOpenedAt === null ? null : isoTime(lastOpenedAt),
  };
}

function requireShareable(actor: Actor, id: string): ConversationRow {
  authorise(actor, "chat.use");
  const row = requireConversation(actor, id);
  assertNotCompared(row);
  return row;
}

/** The active branch's last complete message. */
function lastMessageId(tx: Db, { activeMessageId }: ConversationRow): string {
  const last = listBranch(tx, activeMessageId).findLast(({ status }) => status !== "streaming");
  if (!last) throw new AppError("conflict", "There is nothing to share yet. Send a message first.");
  return last.id;
}

export const readConversationTitle = (actor: Actor, id: string): string => requireShareable(actor, id).title;

export function readSharing(actor: Actor, id: string): Sharing {
  return sharingOf(actor, requireShareable(actor, id));
}

function sharingOf(actor: Actor, { id, activeMessageId }: ConversationRow): Sharing {
  const { orgId } = actor;
  const share = repo.findShare(db(), id);
  const sharedIds = new Set(share ? listBranch(db(), share.messageId).map((row) => row.id) : []);
  const newer = listBranch(db(), activeMessageId).filter((row) => !sharedIds.has(row.id)).length;
  return {
    audience: share?.audience ?? "nobody",
    readers: readersOf(actor, id),
    sharedAt: share ? isoTime(share.updatedAt) : null,
    newer: share ? newer : 0,
    linksAllowed: areLinksAllowed(orgId),
    links: repo.listLinks(db(), id).map(toShareLink),
  };
}

export function listPossibleReaders(actor: Actor): ConversationReader[] {
  authorise(actor, "chat.use");
  const people = listColleagues(actor).filter(({ id }) => id !== actor.userId);
  return [
    ...listGroupNames(actor).map(({ id, name }) => ({ id, name, kind: "group" as const })),
    ...people.map(({ id, name }) => ({ id, name, kind: "member" as const })),
  ];
}

function knownReaders(actor: Actor, { audience, readers }: ShareInput): repo.SelectedReaders {
  if (audience !== "members") return { userIds: [], groupIds: [] };
  const refuse = (message: string): never => {
    throw new AppError("invalid", `${message}.`, { fields: { readers: [message] } });
  };
  const recipients = [...new Set(readers)].filter((id) => id !== actor.userId);
  if (recipients.length === 0) refuse("Choose at least one person or group");
  const kinds = new Map(listPossibleReaders(actor).map(({ id, kind }) => [id, kind]));
  if (!recipients.every((id) => kinds.has(id))) refuse("Choose members and groups of this organization only");
  return {
    userIds: recipients.filter((id) => kinds.get(id) === "member"),
    groupIds: recipients.filter((id) => kinds.get(id) === "group"),
  };
}

function readersOf(actor: Actor, id: string): ConversationReader[] {
  const groups = new Set(repo.listReaderGroupIds(db(), id));
  return [
    ...listGroupNames(actor).flatMap((group) =>
      groups.has(group.id) ? [{ ...group, kind: "group" as const }] : [],
    ),
    ...repo
      .listReaderIds(db(), id)
      .map((userId) => ({ id: userId, name: nameOf(actor.orgId, userId), kind: "member" as const })),
  ];
}

/** Shares up to the last message, or stops sharing. @throws AppError `invalid` for a non-member, `conflict` if empty */
export function shareConversation(actor: Actor, id: string, input: ShareInput): Sharing {
  const row = requireShareable(actor, id);
  const readers = knownReaders(actor, input);
  transaction((tx) => {
    const { audience } = input;
    const before = repo.findShare(tx, id);
    if (audience === "nobody") {
      if (!before) return;
      repo.deleteShare(tx, id);
      append(tx, actor, { action: "conversation.unshared", resource: `conversation:${id}` });
      return;
    }
    const at = now();
    const messageId = lastMessageId(tx, row);
    const createdAt = before?.createdAt ?? at;
    repo.putShare(tx, { conversationId: id, audience, messageId, createdAt, updatedAt: at });
    repo.replaceReaders(tx, id, readers);
    append(tx, actor, {
      action: "conversation.shared",
      resource: `conversation:${id}`,
      details: { audience, readers: [...readers.userIds, ...readers.groupIds] },
    });
  });
  return sharingOf(actor, row);
}

/**
 * Creates a public link to the current, unrestricted messages.
 * @returns the link, and its secret once
 * @throws AppError `not_found`, `forbidden` unless an admin allows links, `conflict` above 20 links
 */
export function createShareLink(
  actor: Actor,
  id: string,
  { expiresInDays }: LinkInput,
): { link: ShareLink; secret: string } {
  const conversation = requireShareable(actor, id);
  if (!areLinksAllowed(actor.orgId))
    throw new AppError("forbidden", "Links are turned off. Ask an admin to allow them in Settings.");
  const secret = newSecret();
  const link = transaction((tx) => {
    if (repo.listLinks(tx, id).length >= MAX_LINKS)
      throw new AppError("conflict", `A conversation can have ${MAX_LINKS} links. Revoke one first.`);
    const at = now();
    const row: repo.LinkRow = {
      id: newId("lnk"),
      conversationId: id,
      secretHash: hashSecret(secret),
      messageId: lastMessageId(tx, conversation),
      expiresAt: expiresInDays === undefined ? null : at + expiresInDays * DAY,
      lastOpenedAt: null,
      createdAt: at,
    };
    repo.insertLink(tx, row);
    append(tx, actor, {
      action: "conversation.link_created",
      resource: `conversation:${id}`,
      details: { link: row.id, expiresAt: row.expiresAt === null ? null : isoTime(row.expiresAt) },
    });
    return row;
  });
  return { link: toShareLink(link), secret };
}

export function revokeShareLink(actor: Actor, id: string, linkId: string): void {
  requireShareable(actor, id);
  transaction((tx) => revokeWithin(tx, actor, id, linkId));
}

function revokeWithin(tx: Db, actor: Actor, id: string, linkId: string): void {
  if (!repo.deleteLink(tx, id, linkId)) throw linkGone();
  append(tx, actor, {
    action: "conversation.link_revoked",
    resource: `conversation:${id}`,
    details: { link: linkId },
  });
}

const linkGone = () => new AppError("not_found", "Link not found. It may have been revoked.");

/** Whether a member may share: links of suspended and demoted members don't open. */
export function maySharePublicly(orgId: string, userId: string): boolean {
  const role = roleOf(db(), orgId, userId);
  return role !== undefined && may({ role }, "chat.use");
}

function toOrganizationLink(orgId: string, { link, userId }: repo.OrganizationLinkRow): OrganizationLink {
  return {
    ...toShareLink(link),
    owner: { id: userId, name: nameOf(orgId, userId) },
    opens: maySharePublicly(orgId, userId),
  };
}

const linkPages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

/** Links of everybody's conversations, newest first; texts and titles stay private. */
export function listOrganizationLinks(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { links: OrganizationLink[]; next?: string } {
  authorise(actor, "members.manage");
  const found = repo.listLinksOfOrg(db(), actor.orgId, { limit: limit + 1, after: linkPages.decode(cursor) });
  const { rows, ...next } = linkPages.page(found, limit, ({ link: { createdAt, id } }) => ({
    createdAt,
    id,
  }));
  return { links: rows.map((row) => toOrganizationLink(actor.orgId, row)), ...next };
}

const LINKS_PAGE = 50;

/** The same by page number. A number beyond the end gives the last page. */
export function pageOrganizationLinks(actor: Actor, page: number) {
  authorise(actor, "members.manage");
  const { orgId } = actor;
  const total = repo.countLinksOfOrg(db(), orgId);
  const current = Math.min(page, Math.max(1, Math.ceil(total / LINKS_PAGE)));
  const offset = (current - 1) * LINKS_PAGE;
  const rows = repo.listLinksOfOrg(db(), orgId, { limit: LINKS_PAGE, offset });
  return {
    items: rows.map((row) => toOrganizationLink(orgId, row)),
    pageInfo: { page: current, size: LINKS_PAGE, total },
  };
}

/** Revokes anybody's link. @throws AppError `not_found` */
export function revokeOrganizationLink(actor: Actor, linkId: string): void {
  authorise(actor, "members.manage");
  transaction((tx) => {
    const link = repo.findLinkOfOrg(tx, actor.orgId, linkId);
    if (!link) throw linkGone();
    revokeWithin(tx, actor, link.conversationId, linkId);
  });
}
