import { z } from "zod";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { findPersona } from "~/features/personas/personas.service.server";
import { isApprovalValid } from "~/features/tools/approvals.service.server";
import { offerTools } from "~/features/tools/tools.service.server";
import { eventsAfter, foldStored, liveAnswerOf } from "./answer/answers.server";
import type { AnswerListener, LiveAnswer } from "./answer/live-answer.server";
import { textOf } from "./answer-state.schema";
import { type ConversationRow, listConversations, listMessages, type MessageRow } from "./chat.repo.server";
import {
  AnswerMetrics,
  type ChatMessage,
  type Conversation,
  ConversationSettings,
  type ConversationSummary,
  type MessagePart,
} from "./chat.schema";
import { partsOf, requireConversation } from "./chat.service.server";
import { StreamChunk } from "./stream.schema";

const iso = (time: number) => new Date(time).toISOString();

function toSummary(row: ConversationRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    model: row.model,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

function firstToolCall(parts: readonly MessagePart[]): Pick<ChatMessage, "toolCall"> {
  const part = parts.find((candidate) => candidate.type === "tool");
  if (!part) return {};
  const result = part.error === undefined ? (part.output ?? null) : { error: part.error };
  return { toolCall: { name: part.toolName, parameters: part.input ?? null, result } };
}

/** A message as it stands now: a running answer with what it says so far. */
export function toMessage(row: MessageRow): ChatMessage {
  const live = row.status === "streaming" ? liveAnswerOf(row.conversationId) : undefined;
  // An answer whose end could not be stored is no one's any more: its events say what there is of it.
  const orphan = row.status === "streaming" && live?.messageId !== row.id;
  const parts = orphan ? foldStored(row.id).state.parts : (live?.state.parts ?? partsOf(row));
  const metrics = AnswerMetrics.safeParse(row.metrics);
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
    metrics: metrics.success ? metrics.data : null,
    timestamp: iso(row.createdAt),
  };
}

const pages = keyset(z.object({ updatedAt: KeyNumber, id: KeyId }));

/** The user's own conversations, the last used first. */
export function listOwnConversations(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { conversations: ConversationSummary[]; next?: string } {
  authorise(actor, "chat.use");
  const found = listConversations(db(), actor, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(found, limit, ({ updatedAt, id }) => ({ updatedAt, id }));
  return { conversations: rows.map(toSummary), ...next };
}

/** A whole conversation, with what a running answer says so far. */
export function readConversation(actor: Actor, id: string): Conversation {
  authorise(actor, "chat.use");
  const row = requireConversation(actor, id);
  const settings = ConversationSettings.catch(ConversationSettings.parse({})).parse(row.settings);
  const { personaId, tools: chosen } = settings;
  const offered = offerTools(actor);
  return {
    ...toSummary(row),
    comparisonId: row.comparisonId,
    restricted: row.restrictedAt !== null,
    sharingAllowed: row.sharingAllowedAt !== null,
    outsideContent: row.outsideContentAt !== null,
    approvedTools: Object.keys(row.toolApprovals).filter((name) =>
      isApprovalValid({ approvedAt: row.toolApprovals[name], outsideContentAt: row.outsideContentAt }),
    ),
    // A persona or tool that is gone or switched off since would make every further message fail.
    settings: {
      ...settings,
      personaId: personaId && findPersona(actor, personaId) ? personaId : undefined,
      tools: chosen?.filter((name) => offered.some((tool) => tool.name === name)),
    },
    lastEventId: liveAnswerOf(id)?.lastEventId ?? row.lastEventId,
    messages: listMessages(db(), id).map(toMessage),
  };
}

/** Whether a resume after an event would get anything. */
export function hasEventsAfter(actor: Actor, conversationId: string, afterId: number): boolean {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  if (liveAnswerOf(conversation.id)) return true;
  const last = listMessages(db(), conversation.id).at(-1);
  return last !== undefined && eventsAfter(last.id, afterId).length > 0;
}

/** A revoked token reads no further, also in an answer that its owner began in the browser. */
function listenAs(actor: Actor, live: LiveAnswer, listener: AnswerListener): () => void {
  const leave = live.listen(listener);
  if (!actor.tokenId) return leave;
  const stopWatching = onAccessChanged((userId, { tokenId }) => {
    if (userId === actor.userId && tokenId === actor.tokenId) listener(undefined);
  });
  return () => {
    stopWatching();
    leave();
  };
}

/**
 * Follows the answer of a conversation: first what happened after an event, then what happens, without a gap between.
 * The listener gets `undefined` at the end.
 *
 * @returns the way to stop listening, or undefined when there is nothing after that event
 */
export function followAnswer(
  actor: Actor,
  conversationId: string,
  afterId: number,
  listener: AnswerListener,
): (() => void) | undefined {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  const live = liveAnswerOf(conversation.id);
  const messageId = live?.messageId ?? listMessages(db(), conversation.id).at(-1)?.id;
  const missed = messageId ? eventsAfter(messageId, afterId) : [];
  if (!live && missed.length === 0) return undefined;
  for (const { id, json } of missed) listener({ id, json, chunk: StreamChunk.parse(JSON.parse(json)) });
  // Nothing can happen between the two: this all runs in one turn of the event loop.
  if (live) return listenAs(actor, live, listener);
  listener(undefined);
  return () => {};
}
