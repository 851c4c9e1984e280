import type { EffortChoice } from "~/ai/models/model-picker.shared";
import type { Actor } from "~/core/actor";
import { type Db, db, groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  assertNotStopping,
  findActiveGeneration,
  type StartedGeneration,
} from "./answer/active-generation.server";
import { startGeneration } from "./answer/answers.server";
import { copyBranch } from "./branches.service.server";
import { listBranch, listComparedConversations } from "./chat.repo.server";
import {
  requireConversation,
  storeAnswer,
  storeConversation,
  storeMessage,
  textPart,
  titleOf,
} from "./chat.service.server";
import { toMessage } from "./conversations.service.server";
import { type Prepared, planPrompt, prepare, settingsOf } from "./plan-answer.server";

// A comparison's answers are conversations, so that they survive, resume, stop and are metered alike.

interface ComparedInput {
  prompt: string;
  models: readonly string[];
  reasoningEffort?: EffortChoice | undefined;
}

/**
 * Sends one prompt to several models, each in its own conversation. All are stored in one transaction with the comparison
 * before the first model is called.
 * @param store stores the comparison; returns its id
 * @throws AppError naming a model that can't be called
 */
export async function beginCompared(
  actor: Actor,
  { prompt, models, reasoningEffort }: ComparedInput,
  store: (tx: Db) => string,
): Promise<void> {
  authorise(actor, "chat.use");
  const columns = models.map((model): Prepared => {
    const prepared = prepare(actor, { model, tools: [], maxSteps: 1, reasoningEffort });
    return { ...prepared, plan: { ...prepared.plan, source: "comparison" } };
  });
  const question = { id: "", role: "user" as const, parts: textPart(prompt) };
  const plans = await Promise.all(
    columns.map((column) => planPrompt(actor, column, { question, earlier: [] })),
  );
  const started = await groupedTransaction((tx) => {
    assertNotStopping();
    const comparisonId = store(tx);
    return columns.map((column): StartedGeneration => {
      const conversationId = newId("con");
      const { modelId: model } = column.plan.model;
      const settings = settingsOf(column);
      storeConversation(tx, actor, {
        id: conversationId,
        title: titleOf(prompt),
        model,
        settings,
        comparisonId,
      });
      storeMessage(tx, { conversationId, position: 1, role: "user" }, question.parts);
      const messageId = storeAnswer(tx, { conversationId, position: 2 }, column);
      return { conversationId, messageId, lastEventId: 0 };
    });
  });
  for (const [index, plan] of plans.entries()) {
    const target = started[index];
    if (target) startGeneration(actor, target, plan);
  }
}

export function readCompared(actor: Actor, comparisonId: string) {
  authorise(actor, "chat.use");
  return listComparedConversations(db(), actor, [comparisonId]).flatMap((row) => {
    const [answer] = listBranch(db(), row.activeMessageId, 1);
    if (!answer) return [];
    const lastEventId = findActiveGeneration(row.id)?.lastEventId ?? row.lastEventId;
    return [{ conversationId: row.id, model: row.model, lastEventId, answer: toMessage(answer) }];
  });
}

/** Models by comparison in column order, and whether any still runs. */
export function listCompared(
  actor: Actor,
  comparisonIds: readonly string[],
): Map<string, { models: string[]; running: boolean }> {
  authorise(actor, "chat.use");
  const summaries = new Map(comparisonIds.map((id) => [id, { models: [] as string[], running: false }]));
  for (const row of listComparedConversations(db(), actor, comparisonIds)) {
    const entry = summaries.get(row.comparisonId ?? "");
    entry?.models.push(row.model);
    if (entry && findActiveGeneration(row.id)) entry.running = true;
  }
  return summaries;
}

export async function stopCompared(actor: Actor, comparisonId: string): Promise<void> {
  authorise(actor, "chat.use");
  const running = listComparedConversations(db(), actor, [comparisonId]).flatMap(
    (row) => findActiveGeneration(row.id) ?? [],
  );
  for (const live of running) live.stop("stopped");
  await Promise.all(running.map((live) => live.done));
}

/** Copies an answer into a new conversation. @returns its id @throws AppError `conflict` while it is being written */
export async function continueCompared(actor: Actor, conversationId: string): Promise<string> {
  authorise(actor, "chat.use");
  const row = requireConversation(actor, conversationId);
  if (row.comparisonId === null) throw new AppError("not_found", "Answer not found in a comparison.");
  // Without the comparison's settings, which exclude tools.
  const changes = { settings: {}, comparisonId: null };
  return await copyBranch(row, changes, row.activeMessageId, (tx, id) => {
    append(tx, actor, {
      action: "conversation.created",
      resource: `conversation:${id}`,
      details: { model: row.model, comparison: row.comparisonId },
    });
  });
}
