import { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { findActiveGeneration, foldStored } from "./answer/answers.server";
import { textOf } from "./answer-state.shared";
import {
  branchEnd,
  countBranch,
  findMessage,
  listBranch,
  listBranchAfter,
  listFeedback,
  listVariants,
} from "./branches.repo.server";
import type { ConversationRow, MessageRow } from "./chat.repo.server";
import type { ChatMessage, MessagePart } from "./chat.schema";
import { partsOf } from "./chat.service.server";

function firstToolCall(parts: readonly MessagePart[]): Pick<ChatMessage, "toolCall"> {
  const part = parts.find((candidate) => candidate.type === "tool");
  if (!part) return {};
  const result = part.error === undefined ? (part.output ?? null) : { error: part.error };
  return { toolCall: { name: part.toolName, parameters: part.input ?? null, result } };
}

/** A stored message, or a running answer's current content. */
export function toMessage(
  row: MessageRow,
  { variants, feedback }: Pick<ChatMessage, "variants" | "feedback"> = { variants: [], feedback: null },
): ChatMessage {
  const live = row.status === "streaming" ? findActiveGeneration(row.conversationId) : undefined;
  // The end of an orphaned answer wasn't stored: its events have the content.
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
    parentId: row.parentId,
    variants,
    feedback,
    timestamp: new Date(row.createdAt).toISOString(),
  };
}

export function describeMessages(
  actor: Actor,
  conversationId: string,
  rows: readonly MessageRow[],
): ChatMessage[] {
  if (rows.length === 0) return [];
  const ids = rows.filter(({ role }) => role === "assistant").map(({ id }) => id);
  const ratings = new Map(listFeedback(db(), actor.userId, ids).map((row) => [row.messageId, row]));
  const siblings = listVariants(db(), conversationId, rows);
  return rows.map((row) => {
    const rated = ratings.get(row.id);
    const variants = siblings.get(row.id) ?? [];
    return toMessage(row, {
      variants: variants.length > 1 ? variants : [],
      feedback: rated ? { rating: rated.rating, comment: rated.comment } : null,
    });
  });
}

/** Oldest first. */
export interface MessageWindow {
  rows: MessageRow[];
  hasEarlier: boolean;
}

function lastOf(end: string | null, limit: number): MessageWindow {
  const rows = listBranch(db(), end, limit + 1);
  return { rows: rows.slice(-limit), hasEarlier: rows.length > limit };
}

/** The end of the active branch. */
export const latestMessages = ({ activeMessageId }: ConversationRow, limit: number) =>
  lastOf(activeMessageId, limit);

interface PageWindow extends MessageWindow {
  hasLater: boolean;
  isActiveBranch: boolean;
  /** Messages of the active branch. */
  messageCount: number;
}

/**
 * Messages before or around one, or the active branch's end.
 * @throws AppError `not_found` for another conversation's message
 */
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
