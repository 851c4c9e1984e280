import { availableModel, listModels } from "~/ai/models/models.service.server";
import { TrimmedContext } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { StartedGeneration } from "./answer/active-generation.server";
import { beginWith } from "./answer/begun-answer";
import type { HistoryMessage } from "./answer/prompt.server";
import { canGoOn } from "./answer-state.shared";
import { prepareAgain } from "./approvals/approvals.service.server";
import { insertAttachment, listOfConversation } from "./attachments/attachments.repo.server";
import { AttachmentPart } from "./attachments/attachments.schema";
import {
  branchEnd,
  type ConversationRow,
  findMessage,
  insertConversation,
  insertMessage,
  listBranch,
  type MessageRow,
  nextPosition,
  updateConversation,
} from "./chat.repo.server";
import { type ContinueRequest, type EditRequest, type RegenerateRequest, TITLE_LIMIT } from "./chat.schema";
import {
  assertIdle,
  assertNotCompared,
  modelFor,
  partsOf,
  readBack,
  requireConversation,
  requireMessage,
  stepStatesOf,
  storeAndStart,
  storeAnswer,
  storeMessage,
  textPart,
  toHistory,
} from "./chat.service.server";
import { listSummaries, putSummary } from "./context/summaries.repo.server";
import { toMessage } from "./conversations.service.server";
import { listTitles, whileWritten } from "./list/list.repo.server";
import { type Prepared, prepare, settingsOf } from "./plan-answer.server";

// A conversation is a tree: messages with the same parent are variants. The active branch is shown and sent to models.

/** @throws AppError `conflict` while an answer is being written, `not_found` for a foreign conversation */
function requireIdle(actor: Actor, conversationId: string): ConversationRow {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  assertNotCompared(conversation);
  assertIdle(conversation.id);
  return conversation;
}

function questionOf(answer: MessageRow): HistoryMessage & { parentId: string | null } {
  const [row] = listBranch(db(), answer.parentId, 1);
  if (!row) throw new AppError("conflict", "The message that this one replies to is missing.");
  return { ...toHistory(row), parentId: row.parentId };
}

/** @throws AppError `conflict` unless the message, by default the last one, is an answer */
function requireAnswer(conversation: ConversationRow, messageId: string | undefined): MessageRow {
  const [last] = listBranch(db(), conversation.activeMessageId, 1);
  const answer = messageId ? findMessage(db(), conversation.id, messageId) : last;
  if (!answer && messageId) throw new AppError("conflict", "The conversation has changed. Reload the page.");
  if (answer?.role === "assistant") return answer;
  throw new AppError("conflict", "There is no answer here. Send a message first.");
}

/** Adds a variant of an answer, which ends the active branch. */
function addVariant(
  actor: Actor,
  conversation: ConversationRow,
  prepared: Prepared,
  exchange: Parameters<typeof storeAndStart>[3],
  action: "conversation.regenerated" | "conversation.answer_continued",
): Promise<StartedGeneration> {
  const { id } = conversation;
  return storeAndStart(actor, id, prepared, exchange, (tx) => {
    const row = { conversationId: id, position: nextPosition(tx, id), parentId: exchange.question.id };
    const messageId = storeAnswer(tx, row, prepared);
    updateConversation(tx, id, { updatedAt: now() });
    append(tx, actor, {
      action,
      resource: `conversation:${id}`,
      details: { model: prepared.plan.model.modelId },
    });
    return { conversationId: id, messageId, lastEventId: conversation.lastEventId };
  });
}

/**
 * Adds a variant that begins with an answer that was cut off, and goes on where it ends.
 * @throws AppError `conflict` for an answer that is whole or holds nothing to go on with, `invalid` if it fills the
 * model's context
 */
export async function continueAnswer(
  actor: Actor,
  conversationId: string,
  input: ContinueRequest,
): Promise<StartedGeneration> {
  const conversation = requireIdle(actor, conversationId);
  const answer = requireAnswer(conversation, input.messageId);
  if (!canGoOn(toMessage(answer)))
    throw new AppError("conflict", "This answer has nothing to go on with. Regenerate it instead.");
  const { plan, ...rest } = prepareAgain(actor, conversation, answer);
  const begun = beginWith(partsOf(answer), stepStatesOf(answer));
  const question = questionOf(answer);
  const exchange = {
    question,
    begun: { ...toHistory(answer), parts: begun.parts },
    earlier: readBack(question.parentId),
  };
  const prepared = { ...rest, plan: { ...plan, begun } };
  return addVariant(actor, conversation, prepared, exchange, "conversation.answer_continued");
}

/** Adds a variant, which ends the active branch. @throws AppError `conflict` unless the message is an answer */
export async function regenerateAnswer(
  actor: Actor,
  conversationId: string,
  input: RegenerateRequest,
): Promise<StartedGeneration> {
  const conversation = requireIdle(actor, conversationId);
  const answer = requireAnswer(conversation, input.messageId);
  const question = questionOf(answer);
  const model = input.model || availableModel(listModels(actor), answer.model ?? conversation.model);
  const prepared = prepare(actor, { ...input, model, folderId: conversation.folderId });
  const exchange = { question, earlier: readBack(question.parentId) };
  return addVariant(actor, conversation, prepared, exchange, "conversation.regenerated");
}

/** Adds an edited variant on a new branch. @throws AppError `not_found`, `conflict` if the message isn't the user's */
export async function editMessage(
  actor: Actor,
  conversationId: string,
  { messageId, content, ...options }: EditRequest,
): Promise<StartedGeneration> {
  const conversation = requireIdle(actor, conversationId);
  const { id } = conversation;
  const message = requireMessage(db(), id, messageId);
  const { role, parentId } = message;
  if (role !== "user")
    throw new AppError("conflict", "Only your own messages can be edited. Regenerate the answer instead.");
  const { folderId } = conversation;
  const prepared = prepare(actor, { ...options, folderId, model: modelFor(actor, conversation, options) });
  const files = partsOf(message).filter((part) => part.type === "attachment");
  const parts = [...files, ...textPart(content)];
  const question: HistoryMessage = { id: newId("msg"), role: "user", parts };
  const exchange = { question, earlier: readBack(parentId) };
  return storeAndStart(actor, id, prepared, exchange, (tx) => {
    const position = nextPosition(tx, id);
    const edited = { id: question.id, conversationId: id, position, role, parentId };
    storeMessage(tx, edited, question.parts);
    const answerId = storeAnswer(tx, { conversationId: id, position: position + 1 }, prepared);
    const used = prepared.plan.model.modelId;
    updateConversation(tx, id, { model: used, settings: settingsOf(prepared), updatedAt: now() });
    const resource = `conversation:${id}`;
    append(tx, actor, { action: "conversation.edited", resource, details: { model: used } });
    return { conversationId: id, messageId: answerId, lastEventId: conversation.lastEventId };
  });
}

/** Activates a message's branch up to its most recent end. */
export function selectVariant(actor: Actor, conversationId: string, messageId: string): void {
  transaction((tx) => {
    const { id } = requireIdle(actor, conversationId);
    const message = requireMessage(tx, id, messageId);
    updateConversation(tx, id, { activeMessageId: branchEnd(tx, id, message.id) });
  });
}

/** Such as "Lamps (branch)", then "Lamps (branch 2)"; also of a branch. */
function branchTitle(tx: Db, conversation: ConversationRow): string {
  const base = conversation.title.replace(/ \(branch(?: \d{1,6})?\)$/, "");
  // Leaves room for the number.
  const clipped = clip(base, TITLE_LIMIT - 20).trimEnd();
  const existing = new Set(listTitles(tx, conversation, `${clipped} (branch`));
  for (let number = 1; ; number++) {
    const title = `${clipped} (branch${number === 1 ? "" : ` ${number}`})`;
    if (!existing.has(title)) return title;
  }
}

/**
 * Copies a conversation up to a message.
 * @returns the new id
 * @throws AppError `conflict` while an answer to be copied is being written
 */
export async function branchConversation(
  actor: Actor,
  conversationId: string,
  messageId: string,
): Promise<string> {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  assertNotCompared(conversation);
  const end = requireMessage(db(), conversation.id, messageId);
  return await copyBranch(conversation, {}, end.id, (tx, id) => {
    updateConversation(tx, id, { title: branchTitle(tx, conversation) });
    append(tx, actor, {
      action: "conversation.branched",
      resource: `conversation:${id}`,
      details: { conversation: conversation.id },
    });
  });
}

/** Gives a copied conversation its own attachments of the same files. @returns the parts with new ids */
function copyAttachments(from: string, conversationId: string): (tx: Db, parts: unknown[]) => unknown[] {
  const rows = new Map(listOfConversation(db(), from).map((row) => [row.id, row]));
  const copies = new Map<string, string>();
  const copyOf = (tx: Db, id: string): string => {
    const row = rows.get(id);
    const present = copies.get(id);
    if (!row || present) return present ?? id;
    const copy = newId("att");
    insertAttachment(tx, { ...row, id: copy, conversationId });
    copies.set(id, copy);
    return copy;
  };
  return (tx, parts) =>
    parts.map((part) => {
      const { data } = AttachmentPart.safeParse(part);
      return data ? { ...data, id: copyOf(tx, data.id) } : part;
    });
}

/**
 * Copies a branch as it stands into a new, independent conversation, which is shown once it is whole: its messages are
 * indexed as they are written, in batches.
 * @param changes fields of the new conversation
 * @param end the last message to copy
 * @param finish runs in the transaction that shows the copy
 * @returns its id
 * @throws AppError `conflict` while an answer of the branch is being written
 */
export async function copyBranch(
  from: ConversationRow,
  changes: Partial<ConversationRow>,
  end: string | null,
  finish: (tx: Db, id: string) => void,
): Promise<string> {
  const rows = listBranch(db(), end);
  if (rows.some(({ status }) => status === "streaming" || status === "waiting")) {
    throw new AppError("conflict", "The answer is still being written. Wait for it or stop it.");
  }
  const id = newId("con");
  const ids = new Map(rows.map((row) => [row.id, newId("msg")]));
  const copyParts = copyAttachments(from.id, id);
  const summaries = listSummaries(db(), from.id);
  function* steps(): Generator<(tx: Db) => void> {
    const at = now();
    yield (tx) =>
      insertConversation(tx, {
        ...from,
        // The restricted mark is copied; the permission to share isn't.
        sharingAllowedAt: null,
        toolApprovals: {},
        activeMessageId: null,
        lastEventId: 0,
        createdAt: at,
        updatedAt: at,
        ...changes,
        id,
        deletedAt: whileWritten(),
      });
    for (const [position, { parentId: _, ...row }] of rows.entries()) {
      const { metrics } = row;
      const trimmed = TrimmedContext.safeParse(metrics?.trimmed).data;
      const firstSentId = ids.get(trimmed?.firstSentId ?? "");
      yield (tx) =>
        insertMessage(tx, {
          ...row,
          id: ids.get(row.id) ?? newId("msg"),
          conversationId: id,
          position,
          parts: copyParts(tx, row.parts),
          metrics: metrics && { ...metrics, trimmed: trimmed && firstSentId && { ...trimmed, firstSentId } },
        });
    }
  }
  await runInBatches(steps(), (tx, step) => step(tx), { durable: false });
  transaction((tx) => {
    for (const summary of summaries) {
      const messageId = ids.get(summary.messageId);
      if (messageId) putSummary(tx, { ...summary, messageId, conversationId: id });
    }
    updateConversation(tx, id, { deletedAt: null });
    finish(tx, id);
  });
  return id;
}
