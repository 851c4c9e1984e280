import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret } from "~/core/ids.server";
import { RateLimiter } from "~/core/rate-limiter.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member.service.server";
import { areVisibleTo, areVisibleToAll } from "~/work/documents/documents.service.server";
import { listBranch } from "../branches.repo.server";
import { type ConversationRow, findConversation } from "../chat.repo.server";
import { type Renderings, renderMessages } from "../renderings.service.server";
import { maskMessages, type ReaderRights, type SharedMessage } from "./mask-messages.server";
import { findLinkByHash, findShared, listShared, markOpened, type ShareRow } from "./shares.repo.server";
import type { SharedSummary } from "./shares.schema";
import { areLinksAllowed, maySharePublicly } from "./shares.service.server";

const PAGE_SIZE = 50;
/** Rate limit of opening links, per address. */
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

/** Whether the owner hasn't deleted it. */
const isKept = ({ id, orgId, userId }: ConversationRow): boolean =>
  findConversation(db(), { orgId, userId }, id) !== undefined;

const pages = keyset(z.object({ sharedAt: KeyNumber, id: KeyId }));

/** Most recently shared first. */
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
  const conversations = rows
    .filter(({ conversation }) => isKept(conversation))
    .map(({ conversation, share }) => toSummary(actor.orgId, conversation, share));
  return { conversations, ...next };
}

/** One page of a shared conversation's messages, with rendered Markdown. */
export interface SharedPageView {
  title: string;
  messages: SharedMessage[];
  renderings: Renderings;
  pageInfo: { page: number; size: number; total: number };
}

async function pageOf(
  conversation: ConversationRow,
  messageId: string,
  rights: ReaderRights,
  page: number,
): Promise<SharedPageView> {
  // Masked from the start: earlier quotes decide what is hidden later.
  const rows = listBranch(db(), messageId);
  const all = maskMessages(rows, rights, conversation.restrictedAt !== null);
  const at = Math.min(page, Math.max(1, Math.ceil(all.length / PAGE_SIZE)));
  const messages = all.slice((at - 1) * PAGE_SIZE, at * PAGE_SIZE);
  const visible = messages.filter(({ omitted }) => !omitted).map(({ message }) => message);
  return {
    title: conversation.title,
    messages,
    renderings: await renderMessages(visible),
    pageInfo: { page: at, size: PAGE_SIZE, total: all.length },
  };
}

function memberRights(actor: Actor): ReaderRights {
  return { canSee: (ids) => areVisibleTo(actor, ids), hasCitations: true };
}

function requireShared(actor: Actor, id: string) {
  authorise(actor, "screens.read");
  const shared = findShared(db(), actor, id);
  if (!shared || !isKept(shared.conversation))
    throw new AppError("not_found", "Conversation not found. It may no longer be shared.");
  return shared;
}

/** Whether it is another person's, shared with the reader. */
export function isSharedByOther(actor: Actor, id: string): boolean {
  if (!may(actor, "screens.read")) return false;
  const shared = findShared(db(), actor, id);
  return shared !== undefined && shared.conversation.userId !== actor.userId && isKept(shared.conversation);
}

/** Whether others share any conversation with the reader. */
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
    ...(await pageOf(conversation, share.messageId, memberRights(actor), page)),
    ...toSummary(actor.orgId, conversation, share),
  };
}

export function getSharedConversation(actor: Actor, id: string) {
  const { conversation, share } = requireShared(actor, id);
  const rows = listBranch(db(), share.messageId);
  const all = maskMessages(rows, memberRights(actor), conversation.restrictedAt !== null);
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
  if (!row || !isKept(row.conversation)) return undefined;
  const { link, conversation } = row;
  const at = now();
  if ((link.expiresAt !== null && at >= link.expiresAt) || !areLinksAllowed(conversation.orgId))
    return undefined;
  if (!maySharePublicly(conversation.orgId, conversation.userId)) return undefined;
  if (link.lastOpenedAt === null || at - link.lastOpenedAt >= OPENED_EVERY)
    transaction((tx) => markOpened(tx, link.id, at));
  const rights = { canSee: (ids: string[]) => areVisibleToAll(conversation, ids), hasCitations: false };
  return pageOf(conversation, link.messageId, rights, page);
}
