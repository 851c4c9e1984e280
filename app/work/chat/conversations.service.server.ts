import { z } from "zod";
import { listModels } from "~/ai/models/models.service.server";
import { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import { isApprovalValid, offerTools } from "~/ai/tools/tools.service.server";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import type { ModelChoice } from "~/platform/settings/settings.schema";
import { findPersona } from "~/work/personas/personas.service.server";
import {
  type ActiveGeneration,
  type AnswerListener,
  eventsAfter,
  findActiveGeneration,
  foldStored,
} from "./answer/active-generation.server";
import { textOf } from "./answer-state.shared";
import {
  branchEnd,
  type ConversationRow,
  countBranch,
  findConversationOfMessage,
  findMessage,
  findMessageStatus,
  listBranch,
  listBranchAfter,
  listVariants,
  listWaitingConversations,
  type MessageRow,
  updateConversation,
} from "./chat.repo.server";
import {
  type Activity,
  type ChatMessage,
  type Conversation,
  ConversationSettings,
  type ConversationSummary,
  type MessagePart,
  type MessageStatus,
} from "./chat.schema";
import { partsOf, requireConversation } from "./chat.service.server";
import { readSummary } from "./context/summaries.service.server";
import { announceConversations } from "./list/announce.server";
import { type ConversationFilter, listConversations } from "./list/list.repo.server";
import { UNDO_TIME } from "./list/list.schema";
import { listFeedback } from "./ratings.repo.server";

/** @param status of its last message */
export function activityOf(
  { id, unreadAt }: Pick<ConversationRow, "id" | "unreadAt">,
  status: MessageStatus | null | undefined,
): Activity | null {
  if (findActiveGeneration(id)) return "running";
  if (status === "waiting") return "waiting";
  return unreadAt === null ? null : "unread";
}

/** For the owner only. */
export function markRead(actor: Actor, { id, activity }: { id: string; activity: Activity | null }): void {
  if (activity !== "unread") return;
  transaction((tx) => updateConversation(tx, id, { unreadAt: null }));
  announceConversations(actor);
}

export function toSummary(row: ConversationRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    model: row.model,
    pinned: row.pinnedAt !== null,
    archived: row.archivedAt !== null,
    folderId: row.folderId,
    activity: activityOf(row, findMessageStatus(db(), row.activeMessageId)),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const pages = keyset(z.object({ updatedAt: KeyNumber, id: KeyId }));

interface ListOptions extends Omit<ConversationFilter, "deletedAfter"> {
  /** Lists those whose deletion can be undone. */
  deleted?: boolean | undefined;
  limit: number;
  cursor?: string | undefined;
}

export function listOwnConversations(
  actor: Actor,
  { limit, cursor, deleted, ...options }: ListOptions,
): { conversations: ConversationSummary[]; next?: string } {
  authorise(actor, "chat.use");
  const filter = deleted ? { deletedAfter: now() - UNDO_TIME } : options;
  const results = listConversations(db(), actor, limit + 1, pages.decode(cursor), filter);
  const { rows, ...next } = pages.page(results, limit, ({ updatedAt, id }) => ({ updatedAt, id }));
  return { conversations: rows.map(toSummary), ...next };
}

/** Stored settings without personas and tools that were removed or disabled, which would make every message fail. */
export function usableSettings(actor: Actor, stored: unknown): ConversationSettings {
  const settings = ConversationSettings.catch(ConversationSettings.parse({})).parse(stored);
  const { personaId, tools: chosen } = settings;
  const offered = offerTools(actor);
  return {
    ...settings,
    personaId: personaId && findPersona(actor, personaId) ? personaId : undefined,
    tools: chosen?.filter((name) => offered.some((tool) => tool.name === name)),
  };
}

const MESSAGES_READ = 200;

/** Own conversations whose answer waits for an approval; the longest waiting first. */
export function listWaitingAnswers(
  actor: Actor,
  limit: number,
): { id: string; title: string; since: string }[] {
  if (!may(actor, "chat.use")) return [];
  return listWaitingConversations(db(), actor, limit).map((row) => ({ ...row, since: isoTime(row.since) }));
}

export function readConversation(actor: Actor, id: string): Conversation {
  return readConversationWith(actor, id, (row) => lastOf(row.activeMessageId, MESSAGES_READ));
}

export function conversationOfMessage(actor: Actor, messageId: string): string | undefined {
  authorise(actor, "chat.use");
  return findConversationOfMessage(db(), actor, messageId);
}

/** Marks an unread answer as read, except for API clients. */
export function openConversation(actor: Actor, id: string): Conversation {
  const conversation = readConversation(actor, id);
  if (actor.tokenId === undefined) markRead(actor, conversation);
  return conversation;
}

export function readConversationWith<W extends MessageWindow>(
  actor: Actor,
  id: string,
  choose: (row: ConversationRow) => W,
): Conversation & Omit<W, "rows"> {
  authorise(actor, "chat.use");
  const row = requireConversation(actor, id);
  const { rows, ...window } = choose(row);
  return {
    ...toSummary(row),
    comparisonId: row.comparisonId,
    restricted: row.restrictedAt !== null,
    sharingAllowed: row.sharingAllowedAt !== null,
    outsideContent: row.outsideContentAt !== null,
    approvedTools: Object.keys(row.toolApprovals).filter((name) =>
      isApprovalValid({ approvedAt: row.toolApprovals[name], outsideContentAt: row.outsideContentAt }),
    ),
    settings: usableSettings(actor, row.settings),
    summary: readSummary(row),
    lastEventId: findActiveGeneration(id)?.lastEventId ?? row.lastEventId,
    activeMessageId: row.activeMessageId,
    ...window,
    messages: describeMessages(actor, id, rows),
  };
}

export function readSettings(actor: Actor, id: string) {
  authorise(actor, "chat.use");
  const { personaId: persona, ...settings } = usableSettings(actor, requireConversation(actor, id).settings);
  return { persona, ...settings };
}

/**
 * The newest question of the branch that is shown, and what it was asked with.
 * @throws AppError `invalid` if there is none in text
 */
export function readLastQuestion(actor: Actor, id: string) {
  const { messages } = listOwnMessages(actor, id, { limit: MESSAGES_READ });
  const { title, model } = requireConversation(actor, id);
  const question = messages.find(({ role, content }) => role === "user" && content.trim() !== "");
  if (!question) throw new AppError("invalid", "This conversation has no question in text.");
  const { persona, reasoningEffort } = readSettings(actor, id);
  return { title, question: question.content, model, persona, reasoningEffort };
}

export function listMessagesById(actor: Actor, id: string, messageIds: readonly string[]): ChatMessage[] {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, id);
  const rows = messageIds.flatMap((messageId) => findMessage(db(), conversation.id, messageId) ?? []);
  return describeMessages(actor, conversation.id, rows);
}

const messagePages = keyset(z.object({ id: KeyId }));

/** Newest first. */
export function listOwnMessages(
  actor: Actor,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { messages: ChatMessage[]; next?: string } {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, id);
  const after = messagePages.decode(cursor);
  const from = after ? parentOf(conversation, after.id) : conversation.activeMessageId;
  const branch = listBranch(db(), from, limit + 1).toReversed();
  const { rows, ...next } = messagePages.page(branch, limit, (row) => ({ id: row.id }));
  return { messages: describeMessages(actor, id, rows), ...next };
}

function parentOf(conversation: ConversationRow, id: string): string | null {
  const row = findMessage(db(), conversation.id, id);
  if (!row) throw new AppError("not_found", "Message not found. Start from the first page.");
  return row.parentId;
}

/** Whether a resume after an event would return anything. */
export function hasEventsAfter(actor: Actor, conversationId: string, afterId: number): boolean {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  if (findActiveGeneration(conversation.id)) return true;
  const last = conversation.activeMessageId;
  return last !== null && eventsAfter(last, afterId).length > 0;
}

/** A revoked token stops reading, also of answers begun in the browser. */
function listenAs(actor: Actor, live: ActiveGeneration, listener: AnswerListener): () => void {
  const unsubscribe = live.listen(listener);
  if (!actor.tokenId) return unsubscribe;
  const stopWatching = onAccessChanged((userId, { tokenId }) => {
    if (userId === actor.userId && tokenId === actor.tokenId) listener(undefined);
  });
  return () => {
    stopWatching();
    unsubscribe();
  };
}

/** Streams an answer's events after an id without gaps. @returns a function to stop, or undefined if nothing follows */
export function followAnswer(
  actor: Actor,
  conversationId: string,
  afterId: number,
  listener: AnswerListener,
): (() => void) | undefined {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  const live = findActiveGeneration(conversation.id);
  const messageId = live?.messageId ?? conversation.activeMessageId;
  const missed = messageId ? eventsAfter(messageId, afterId) : [];
  if (!live && missed.length === 0) return undefined;
  for (const { id, chunk } of missed) listener({ id, json: JSON.stringify(chunk), chunk });
  // Synchronous, so that no event is missed.
  if (live) return listenAs(actor, live, listener);
  listener(undefined);
  return () => {};
}

/** Sets the model of this conversation alone. @throws AppError `invalid` for an unavailable model, `not_found` */
export function chooseConversationModel(actor: Actor, id: string, choice: ModelChoice): void {
  authorise(actor, "chat.use");
  if (!listModels(actor).some((model) => model.id === choice.model)) {
    const message = `${choice.model} isn't available. Select another model.`;
    throw new AppError("invalid", message, { fields: { model: [message] } });
  }
  transaction((tx) => {
    requireConversation(actor, id);
    updateConversation(tx, id, { model: choice.model });
  });
}

/**
 * Allows or forbids tools to share a restricted conversation, from the next call on.
 * @throws AppError `not_found` for another person's conversation, `conflict` if it isn't restricted
 */
export function changeSharing(
  actor: Actor,
  id: string,
  { sharingAllowed }: { sharingAllowed: boolean },
): Conversation {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { restrictedAt, sharingAllowedAt } = requireConversation(actor, id);
    if (sharingAllowed === (sharingAllowedAt !== null)) return;
    if (sharingAllowed && restrictedAt === null) {
      const message = "This conversation contains no restricted passages, so its tools aren't limited.";
      throw new AppError("conflict", message);
    }
    updateConversation(tx, id, { sharingAllowedAt: sharingAllowed ? now() : null });
    const action = sharingAllowed ? "conversation.sharing_allowed" : "conversation.sharing_withdrawn";
    append(tx, actor, { action, resource: `conversation:${id}` });
  });
  return readConversation(actor, id);
}

function firstToolCall(parts: readonly MessagePart[]): Pick<ChatMessage, "toolCall"> {
  const part = parts.find((candidate) => candidate.type === "tool");
  if (!part) return {};
  const result = part.error === undefined ? (part.output ?? null) : { error: part.error };
  return { toolCall: { name: part.toolName, parameters: part.input ?? null, result } };
}

export function toMessage(
  row: MessageRow,
  { variants, feedback }: Pick<ChatMessage, "variants" | "feedback"> = { variants: [], feedback: null },
): ChatMessage {
  const live = row.status === "streaming" ? findActiveGeneration(row.conversationId) : undefined;
  // The end of an orphaned answer wasn't stored: its events have the content.
  const orphan = row.status === "streaming" && live?.messageId !== row.id;
  const parts = orphan ? foldStored(row.id).state.parts : (live?.state.parts ?? partsOf(row));
  const metrics = AnswerMetrics.safeParse(row.metrics);
  const waiting = orphan ? undefined : live?.state.waiting;
  return {
    id: row.id,
    role: row.role,
    status: orphan ? "interrupted" : row.status,
    content: textOf(parts),
    parts,
    ...firstToolCall(parts),
    model: row.model,
    persona: row.personaName,
    error: row.error,
    ...(waiting && { waiting }),
    metrics: metrics.success ? metrics.data : null,
    parentId: row.parentId,
    variants,
    feedback,
    timestamp: new Date(row.createdAt).toISOString(),
  };
}

function describeMessages(actor: Actor, conversationId: string, rows: readonly MessageRow[]): ChatMessage[] {
  if (rows.length === 0) return [];
  const ids = rows.filter(({ role }) => role === "assistant").map(({ id }) => id);
  const ratings = new Map(listFeedback(db(), actor.userId, ids).map((row) => [row.messageId, row]));
  const siblings = listVariants(db(), conversationId, rows);
  return rows.map((row) => {
    const rated = ratings.get(row.id);
    const variants = siblings.get(row.id) ?? [];
    return toMessage(row, {
      variants: variants.length > 1 ? variants : [],
      feedback: rated ? { rating: rated.rating, comment: rated.comment, shared: rated.shared } : null,
    });
  });
}

/** Oldest first. */
interface MessageWindow {
  rows: MessageRow[];
  hasEarlier: boolean;
}

function lastOf(end: string | null, limit: number): MessageWindow {
  const rows = listBranch(db(), end, limit + 1);
  return { rows: rows.slice(-limit), hasEarlier: rows.length > limit };
}

interface PageWindow extends MessageWindow {
  hasLater: boolean;
  isActiveBranch: boolean;
  /** Messages of the active branch. */
  messageCount: number;
}

/** Messages before or around one, or the active branch's end. @throws AppError `not_found` for a foreign message */
export function pageWindow(
  { id, activeMessageId }: ConversationRow,
  { before, message }: { before?: string | undefined; message?: string | undefined },
  limit: number,
): PageWindow {
  const target = before ?? message;
  if (target === undefined || activeMessageId === null) {
    const window = lastOf(activeMessageId, limit);
    const messageCount =
      window.hasEarlier && activeMessageId ? countBranch(db(), activeMessageId) : window.rows.length;
    return { ...window, hasLater: false, isActiveBranch: true, messageCount };
  }
  const row = findMessage(db(), id, target);
  if (!row) throw new AppError("not_found", "Message not found in this conversation.");
  const active = listBranchAfter(db(), activeMessageId, row);
  const branch = { isActiveBranch: active !== undefined, messageCount: countBranch(db(), activeMessageId) };
  if (before !== undefined) return { ...lastOf(row.parentId, limit), hasLater: true, ...branch };
  const later = active ?? listBranchAfter(db(), branchEnd(db(), id, row.id), row) ?? [];
  const visible = later.slice(0, Math.floor(limit / 2));
  const window = lastOf(visible.at(-1) ?? row.id, limit);
  return { ...window, hasLater: visible.length < later.length, ...branch };
}
