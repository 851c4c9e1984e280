import { z } from "zod";
import { passagesOf } from "~/ai/models/quoted-passages.shared";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset, pageOf } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret } from "~/core/ids.server";
import { RateLimiter } from "~/core/rate-limiter.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { areVisibleTo, areVisibleToAll } from "~/work/documents/documents.service.server";
import { documentsIn } from "../answer/prompt.server";
import { type ConversationRow, listBranch } from "../chat.repo.server";
import type { ChatMessage, MessagePart } from "../chat.schema";
import { toMessage } from "../conversations.service.server";
import { type Renderings, renderMessages } from "../renderings.service.server";
import { findLinkByHash, findShared, listShared, type ShareRow, updateLink } from "./shares.repo.server";
import type { SharedSummary } from "./shares.schema";
import { areLinksAllowed, maySharePublicly } from "./shares.service.server";

const PAGE_SIZE = 50;
const OPENINGS = { limit: 60, windowMs: 60_000 };
/** Minimum interval between stored visits, in ms. */
const OPENED_EVERY = 60_000;
const SECRET = /^[\w-]{43}$/;

const openings = new RateLimiter();

function toSummary(orgId: string, row: ConversationRow, share: ShareRow): SharedSummary {
  const { id, title, userId } = row;
  return {
    id,
    title,
    owner: { id: userId, name: nameOf(orgId, userId) },
    sharedAt: isoTime(share.updatedAt),
  };
}

const pages = keyset(z.object({ sharedAt: KeyNumber, id: KeyId }));

export function listSharedConversations(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { conversations: SharedSummary[]; next?: string } {
  authorise(actor, "screens.read");
  const results = listShared(db(), actor, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(results, limit, ({ share }) => ({
    sharedAt: share.updatedAt,
    id: share.conversationId,
  }));
  const conversations = rows.map(({ conversation, share }) => toSummary(actor.orgId, conversation, share));
  return { conversations, ...next };
}

export interface SharedPageView {
  title: string;
  messages: SharedMessage[];
  renderings: Renderings;
  pageInfo: { page: number; size: number; total: number };
}

async function readPage(
  conversation: ConversationRow,
  messageId: string,
  rights: ReaderRights,
  page: number,
): Promise<SharedPageView> {
  const all = readMasked(conversation, messageId, rights);
  const { items: messages, pageInfo } = pageOf(all, page, PAGE_SIZE);
  const visible = messages.filter(({ omitted }) => !omitted).map(({ message }) => message);
  return { title: conversation.title, messages, renderings: await renderMessages(visible), pageInfo };
}

const memberRights = (actor: Actor): ReaderRights => ({
  canSee: (ids) => areVisibleTo(actor, ids),
  hasCitations: true,
});

function requireShared(actor: Actor, id: string) {
  authorise(actor, "screens.read");
  const shared = findShared(db(), actor, id);
  if (!shared) throw new AppError("not_found", "Conversation not found. It may no longer be shared.");
  return shared;
}

export function isSharedByOther(actor: Actor, id: string): boolean {
  if (!may(actor, "screens.read")) return false;
  const shared = findShared(db(), actor, id);
  return shared !== undefined && shared.conversation.userId !== actor.userId;
}

export function hasSharedConversations(actor: Actor): boolean {
  return may(actor, "screens.read") && listShared(db(), actor, 1).length > 0;
}

export async function readSharedConversation(
  actor: Actor,
  id: string,
  page: number,
): Promise<SharedSummary & SharedPageView> {
  const { conversation, share } = requireShared(actor, id);
  return {
    ...(await readPage(conversation, share.messageId, memberRights(actor), page)),
    ...toSummary(actor.orgId, conversation, share),
  };
}

export function getSharedConversation(actor: Actor, id: string) {
  const { conversation, share } = requireShared(actor, id);
  const all = readMasked(conversation, share.messageId, memberRights(actor));
  return {
    ...toSummary(actor.orgId, conversation, share),
    total: all.length,
    messages: all.map(({ message, omitted, attachmentsOmitted }) => {
      const { id: messageId, role, content, model, persona, timestamp } = message;
      return { id: messageId, role, content, omitted, attachmentsOmitted, model, persona, timestamp };
    }),
  };
}

/**
 * Opens a read-only link.
 * @param address the client's network address, for the rate limit
 * @returns undefined for an unknown, revoked, expired or disabled link, or one of a member who may no longer share, which look the same to the visitor
 * @throws AppError `rate_limited`
 */
export async function openShareLink(
  secret: string,
  page: number,
  address: string,
): Promise<SharedPageView | undefined> {
  const verdict = openings.take(address, OPENINGS);
  if (!verdict.allowed)
    throw new AppError("rate_limited", "Too many requests. Wait a minute, then try again.");
  if (!SECRET.test(secret)) return undefined;
  const row = findLinkByHash(db(), hashSecret(secret));
  if (!row) return undefined;
  const { link, conversation } = row;
  const at = now();
  if ((link.expiresAt !== null && at >= link.expiresAt) || !areLinksAllowed(conversation.orgId))
    return undefined;
  if (!maySharePublicly(conversation.orgId, conversation.userId)) return undefined;
  if (link.lastOpenedAt === null || at - link.lastOpenedAt >= OPENED_EVERY)
    transaction((tx) => updateLink(tx, link.id, { lastOpenedAt: at }));
  const rights = { canSee: (ids: string[]) => areVisibleToAll(conversation, ids), hasCitations: false };
  return readPage(conversation, link.messageId, rights, page);
}

interface ReaderRights {
  canSee(documentIds: string[]): boolean;
  hasCitations: boolean;
}

interface SharedMessage {
  message: ChatMessage;
  /** The message may quote documents hidden from the reader, and is empty. */
  omitted: boolean;
  attachmentsOmitted: number;
}

/** Renders nothing, but keeps the indexes of stored renderings. */
const PLACEHOLDER: MessagePart = { type: "step" };

/** Keeps text and, if allowed, passages; drops other tool results. */
function maskPart(part: MessagePart, { hasCitations }: ReaderRights): MessagePart {
  if (part.type === "text") return part;
  if (part.type !== "tool" || part.state !== "done" || !hasCitations) return PLACEHOLDER;
  const passages = passagesOf(part.output);
  if (!passages || passages.length === 0) return PLACEHOLDER;
  // What its owner told a tool is nobody else's.
  const { questions: _, ...shown } = part;
  return { ...shown, input: {}, output: { passages } };
}

/** A truncated result may have quoted any document. */
const isTruncated = (part: MessagePart): boolean =>
  part.type === "tool" &&
  typeof part.output === "object" &&
  part.output !== null &&
  "truncated" in part.output;

/**
 * The messages of a branch from its first one, without those that quote documents the reader can't see, and without every
 * later answer: the model may have repeated the passages.
 */
function readMasked(
  { restrictedAt }: ConversationRow,
  lastMessageId: string,
  rights: ReaderRights,
): SharedMessage[] {
  let tainted = false;
  const rows = listBranch(db(), lastMessageId).filter(({ status }) => status !== "streaming");
  return rows.map((row): SharedMessage => {
    const { toolCall: _, ...message } = toMessage(row);
    const documents = documentsIn(message.parts);
    const hidden =
      (documents.length > 0 && !rights.canSee(documents)) ||
      (restrictedAt !== null && message.parts.some(isTruncated));
    tainted ||= hidden;
    const omitted = message.role === "assistant" ? tainted : hidden;
    const parts = omitted ? [] : message.parts.map((part) => maskPart(part, rights));
    const content = omitted ? "" : message.content;
    return {
      message: { ...message, parts, content, error: null, metrics: null },
      omitted,
      attachmentsOmitted: message.parts.filter(({ type }) => ["attachment", "file"].includes(type)).length,
    };
  });
}
