import { availableModel, listModels } from "~/ai/models/models.service.server";
import { StepState } from "~/ai/models/step-state.schema";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  assertNotStopping,
  findActiveGeneration,
  type StartedGeneration,
} from "./answer/active-generation.server";
import { startGeneration } from "./answer/answers.server";
import type { HistoryMessage } from "./answer/prompt.server";
import { isRefused } from "./answer-state.shared";
import { refuseWaiting } from "./approvals/waiting.server";
import {
  assertModelAccepts,
  attachmentParts,
  keepAttachments,
} from "./attachments/attachments.service.server";
import {
  type ConversationRow,
  findConversation,
  findMessage,
  findMessageStatus,
  insertConversation,
  insertMessage,
  listBranch,
  type MessageRow,
  nextPosition,
  updateConversation,
} from "./chat.repo.server";
import { type ChatRequest, MessagePart } from "./chat.schema";
import { type Exchange, type Prepared, planPrompt, prepare, settingsOf } from "./plan-answer.server";
import { personaOf, requireFolder } from "./projects/projects.service.server";

const TITLE_LENGTH = 80;
/** Messages read per query while walking back a branch. */
const READ_AT_ONCE = 40;

export function requireConversation(actor: Actor, id: string): ConversationRow {
  const row = findConversation(db(), actor, id);
  if (!row)
    throw new AppError("not_found", "Conversation not found. It was deleted, or you don't have access.");
  return row;
}

export function requireMessage(tx: Db, conversationId: string, messageId: string): MessageRow {
  const message = findMessage(tx, conversationId, messageId);
  if (!message) throw new AppError("not_found", "Message not found in this conversation. Reload the page.");
  return message;
}

export function partsOf(row: MessageRow): MessagePart[] {
  const parsed = MessagePart.array().safeParse(row.parts);
  if (!parsed.success)
    throw new AppError("internal", `The message ${row.id} can't be read.`, { cause: parsed.error });
  return parsed.data;
}

/** Unreadable ones are forgotten: the provider then begins to think from the start. */
export const stepStatesOf = (row: Pick<MessageRow, "stepStates">): StepState[] =>
  StepState.array().safeParse(row.stepStates ?? []).data ?? [];

export const textPart = (text: string): MessagePart[] => [{ type: "text", id: "0", text }];

export function storeConversation(
  tx: Db,
  { orgId, userId }: Actor,
  row: Pick<ConversationRow, "id" | "title" | "model" | "settings"> & Partial<ConversationRow>,
): void {
  insertConversation(tx, { orgId, userId, createdAt: now(), updatedAt: now(), ...row });
}

export function storeMessage(
  tx: Db,
  row: Pick<MessageRow, "conversationId" | "position" | "role"> &
    Partial<Pick<MessageRow, "id" | "parentId" | "model">>,
  parts: readonly MessagePart[],
): string {
  const id = row.id ?? newId("msg");
  const at = now();
  insertMessage(tx, { ...row, id, status: "complete", parts: [...parts], createdAt: at, finishedAt: at });
  return id;
}

export function storeAnswer(
  tx: Db,
  row: Pick<MessageRow, "conversationId" | "position"> & { parentId?: string },
  prepared: Prepared,
): string {
  const id = newId("msg");
  insertMessage(tx, {
    ...row,
    id,
    role: "assistant",
    status: "streaming",
    parts: [],
    model: prepared.plan.model.modelId,
    personaName: prepared.personaName ?? null,
    settings: settingsOf(prepared),
    createdAt: now(),
  });
  return id;
}

/** A comparison's answers are immutable; continuing one creates a copy. */
export function assertNotCompared(conversation: ConversationRow): void {
  if (conversation.comparisonId === null) return;
  throw new AppError("conflict", "This answer is part of a comparison. Continue it in chat first.");
}

/** Conversations whose next message is being stored. */
const starting = new Set<string>();

/** Whether an answer is written in it, or is about to be. */
export const isBusy = (conversationId: string): boolean =>
  findActiveGeneration(conversationId) !== undefined || starting.has(conversationId);

export function assertIdle(conversationId: string): void {
  if (!isBusy(conversationId)) return;
  throw new AppError(
    "conflict",
    "An answer is still being written in this conversation. Wait for it or stop it.",
  );
}

export function titleOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= TITLE_LENGTH ? line : `${clip(line, TITLE_LENGTH - 1)}…`;
}

export const toHistory = (row: MessageRow): HistoryMessage => ({
  id: row.id,
  role: row.role,
  parts: partsOf(row),
  stepStates: stepStatesOf(row),
});

/** A branch from its end, read lazily: unsent messages stay unread. Questions that were refused are left out. */
export function* readBack(from: string | null): Generator<HistoryMessage> {
  let isLeftOut = false;
  for (let next = from; next !== null; ) {
    const rows = listBranch(db(), next, READ_AT_ONCE);
    for (const row of rows.toReversed()) {
      if (row.role === "assistant") isLeftOut = isRefused(row);
      if (!isLeftOut) yield toHistory(row);
    }
    next = rows[0]?.parentId ?? null;
  }
}

/**
 * Stores a message, then starts its answer. The provider is called only after the commit, so that a crash can't leave an
 * unrecorded call.
 * @throws AppError `invalid` if the question doesn't fit into the model's context
 */
export async function storeAndStart(
  actor: Actor,
  conversationId: string,
  prepared: Prepared,
  exchange: Omit<Exchange, "conversationId">,
  store: (tx: Db) => StartedGeneration,
): Promise<StartedGeneration> {
  starting.add(conversationId);
  try {
    assertModelAccepts(actor, prepared.plan.model.modelId, exchange.question.parts);
    const plan = await planPrompt(actor, prepared, { conversationId, ...exchange });
    const work = (tx: Db) => {
      // Checked in the transaction: shutdown may begin while it waits.
      assertNotStopping();
      refuseWaiting(tx, conversationId);
      return store(tx);
    };
    const begun = await groupedTransaction(work);
    startGeneration(actor, begun, plan);
    return begun;
  } finally {
    starting.delete(conversationId);
  }
}

/** The model of a further message: the chosen one, or the conversation's own; undefined for that of a chosen persona. */
export const modelFor = (
  actor: Actor,
  conversation: ConversationRow,
  { model, persona }: Pick<ChatRequest, "model" | "persona">,
): string | undefined =>
  model || (persona ? undefined : availableModel(listModels(actor), conversation.model));

/**
 * Stores a message and starts its answer, which continues in the background.
 * @throws AppError `invalid` for an unknown model, persona or tool, `conflict` while an answer is being written or for a
 * message that was sent before, `provider_missing`, `not_found` for another person's conversation
 */
export async function sendMessage(actor: Actor, input: ChatRequest): Promise<StartedGeneration> {
  authorise(actor, "chat.use");
  const existing = input.conversationId ? requireConversation(actor, input.conversationId) : undefined;
  if (existing) {
    assertNotCompared(existing);
    assertIdle(existing.id);
  }
  const project = !existing && input.folderId ? requireFolder(db(), actor, input.folderId) : undefined;
  const prepared = prepare(actor, {
    ...input,
    folderId: existing?.folderId ?? project?.id,
    persona: input.persona === undefined && project ? personaOf(actor, project) : input.persona,
    model: existing ? modelFor(actor, existing, input) : input.model,
  });
  const conversationId = existing?.id ?? newId("con");
  const text = input.messages.at(-1)?.content.trim() ?? "";
  const files = attachmentParts(actor, input.attachments ?? [], existing?.id);
  const parts = [...files, ...(text === "" ? [] : textPart(text))];
  const question: HistoryMessage = { id: input.messageId ?? newId("msg"), role: "user", parts };
  // With an id the server's history is used, else the caller's.
  const given = existing
    ? []
    : input.messages
        .slice(0, -1)
        .map(({ role, content }): HistoryMessage => ({ id: newId("msg"), role, parts: textPart(content) }));
  const earlier = existing ? readBack(existing.activeMessageId) : given.toReversed();
  return storeAndStart(actor, conversationId, prepared, { question, earlier }, (tx) => {
    const model = prepared.plan.model.modelId;
    const settings = settingsOf(prepared);
    if (findMessageStatus(tx, question.id))
      throw new AppError("conflict", "This message was sent before. Reload the page to see it.");
    if (existing) updateConversation(tx, existing.id, { model, settings, updatedAt: now() });
    else {
      const first = input.messages.find((message) => message.role === "user")?.content ?? text;
      const title = titleOf(first.trim() || (files[0]?.name ?? ""));
      const folderId = project?.id ?? null;
      storeConversation(tx, actor, { id: conversationId, title, model, settings, folderId });
    }
    let position = nextPosition(tx, conversationId);
    keepAttachments(tx, files, conversationId);
    if (files.length > 0 && !existing?.outsideContentAt)
      updateConversation(tx, conversationId, { outsideContentAt: now() });
    for (const { id, role, parts } of [...given, question]) {
      storeMessage(tx, { id, conversationId, position: position++, role }, parts);
    }
    const messageId = storeAnswer(tx, { conversationId, position }, prepared);
    append(tx, actor, {
      action: existing ? "conversation.continued" : "conversation.created",
      resource: `conversation:${conversationId}`,
      details: {
        model,
        tools: prepared.toolNames,
        ...(files.length > 0 ? { attachments: files.length } : {}),
        ...(prepared.personaName ? { persona: prepared.personaName } : {}),
      },
    });
    return { conversationId, messageId, lastEventId: existing?.lastEventId ?? 0 };
  });
}

export async function stopAnswer(actor: Actor, conversationId: string): Promise<void> {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  const live = findActiveGeneration(conversation.id);
  transaction((tx) => {
    const refused = live ? 0 : refuseWaiting(tx, conversation.id);
    if (live || refused > 0)
      append(tx, actor, { action: "conversation.stopped", resource: `conversation:${conversation.id}` });
  });
  live?.stop("stopped");
  await live?.done;
}
