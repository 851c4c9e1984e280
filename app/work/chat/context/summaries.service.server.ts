import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { ActiveGeneration } from "../answer/active-generation.server";
import { documentsIn } from "../answer/prompt.server";
import { type ConversationRow, findConversation } from "../chat.repo.server";
import type { ContextSummary, SummaryEdit } from "./context.schema";
import type { Context, LongContext } from "./fit-context.server";
import { findSummary, listSummaries, putSummary, type Summary, updateSummary } from "./summaries.repo.server";
import { summarize } from "./summarize.server";

/** Whether its owner edited or undid a summary that was read before. */
function hasChanged(tx: Db, conversationId: string, before: Summary | undefined): boolean {
  if (!before) return false;
  const row = listSummaries(tx, conversationId).find(({ messageId }) => messageId === before.messageId);
  return row?.text !== before.text || row.undoneAt !== null;
}

/**
 * Has older messages summarized before an answer. On failure the answer goes on with what fits, and its figures say why.
 * @param sent the context without the summary
 */
export async function summarizeFirst(
  live: ActiveGeneration,
  model: { modelId: string; personaId?: string | undefined },
  sent: Context,
  long: LongContext,
): Promise<Context> {
  live.emit({
    type: "data-waiting",
    data: { text: "Summarizing earlier messages…" },
    transient: true,
  });
  try {
    const { actor, conversationId } = live;
    const last = long.messages.at(-1);
    if (!last) return sent;
    const { text, model: by } = await summarize(live, model, long);
    const documents = new Set([...(long.before?.documents ?? []), ...documentsIn(long.messages)]);
    const row = { messageId: last.id, text, documents: [...documents] };
    const isStored = transaction((tx) => {
      if (hasChanged(tx, conversationId, long.before)) return false;
      const times = { createdAt: now(), editedAt: null, undoneAt: null };
      putSummary(tx, { ...row, conversationId, model: by, tokens: long.tokens, ...times });
      append(tx, actor, {
        action: "conversation.summarized",
        resource: `conversation:${conversationId}`,
        details: { model: by },
      });
      return true;
    });
    if (!isStored) log.info("a summary was discarded: the one before it has changed", { conversationId });
    return long.withSummary(row);
  } catch (error) {
    if (live.signal.aborted) return sent;
    const problem = error instanceof AppError ? error.message : "The summary couldn't be stored.";
    log.warn("earlier messages could not be summarized", { error, messageId: live.messageId });
    return { ...sent, use: { ...sent.use, problem } };
  }
}

/** What stands for older messages of the active branch. */
export function readSummary(conversation: ConversationRow): ContextSummary | null {
  const row = findSummary(db(), conversation.id, conversation.activeMessageId);
  if (!row) return null;
  const { messageId, text, model, tokens, editedAt } = row;
  return { messageId, text, model, tokens, edited: editedAt !== null };
}

function requireSummary(tx: Db, actor: Actor, conversationId: string, messageId: string): void {
  authorise(actor, "chat.use");
  const found =
    findConversation(tx, actor, conversationId) &&
    listSummaries(tx, conversationId).some((row) => row.messageId === messageId && row.undoneAt === null);
  if (!found) throw new AppError("not_found", "This summary is gone. Reload the page.");
}

/** @throws AppError `not_found` for another person's conversation and a summary that was undone */
export function editSummary(
  actor: Actor,
  conversationId: string,
  messageId: string,
  { text }: SummaryEdit,
): void {
  transaction((tx) => {
    requireSummary(tx, actor, conversationId, messageId);
    updateSummary(tx, messageId, { text, editedAt: now() });
    append(tx, actor, { action: "conversation.summary_edited", resource: `conversation:${conversationId}` });
  });
}

/** Has the messages sent again as long as they fit. @throws AppError as `editSummary` */
export function undoSummary(actor: Actor, conversationId: string, messageId: string): void {
  transaction((tx) => {
    requireSummary(tx, actor, conversationId, messageId);
    updateSummary(tx, messageId, { undoneAt: now() });
    append(tx, actor, { action: "conversation.summary_undone", resource: `conversation:${conversationId}` });
  });
}
