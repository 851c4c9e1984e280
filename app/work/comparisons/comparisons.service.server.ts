import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { titleOf } from "~/work/chat/chat.service.server";
import {
  beginCompared,
  continueCompared,
  listCompared,
  readCompared,
  stopCompared,
} from "~/work/chat/compared.service.server";
import {
  type ComparisonRow,
  deleteComparisonRow,
  findComparison,
  insertComparison,
  listComparisonRows,
} from "./comparisons.repo.server";
import type { Comparison, ComparisonInput, ComparisonSummary } from "./comparisons.schema";

function missing(): never {
  throw new AppError("not_found", "Comparison not found.");
}

function requireRow(actor: Actor, id: string): ComparisonRow {
  return findComparison(db(), actor, id) ?? missing();
}

/** Reports an unavailable model at the models' field. */
function withModelsField(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.code.startsWith("provider_")) return error;
  return new AppError(error.code, error.message, { cause: error, fields: { models: [error.message] } });
}

/**
 * Sends a prompt to two to four models; their answers continue in the background.
 * @throws AppError for an unavailable model, storing nothing
 */
export async function createComparison(actor: Actor, input: ComparisonInput): Promise<Comparison> {
  authorise(actor, "chat.use");
  const id = newId("cmp");
  try {
    await beginCompared(actor, input, (tx) => {
      const { orgId, userId } = actor;
      insertComparison(tx, { id, orgId, userId, prompt: input.prompt, createdAt: now() });
      append(tx, actor, {
        action: "comparison.created",
        resource: `comparison:${id}`,
        details: { models: input.models },
      });
      return id;
    });
  } catch (error) {
    throw withModelsField(error);
  }
  return readComparison(actor, id);
}

export function readComparison(actor: Actor, id: string): Comparison {
  authorise(actor, "chat.use");
  const { prompt, createdAt } = requireRow(actor, id);
  return { id, prompt, createdAt: new Date(createdAt).toISOString(), answers: readCompared(actor, id) };
}

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

export function listComparisons(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { comparisons: ComparisonSummary[]; next?: string } {
  authorise(actor, "chat.use");
  const results = listComparisonRows(db(), actor, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(results, limit, ({ createdAt, id }) => ({ createdAt, id }));
  const compared = listCompared(
    actor,
    rows.map(({ id }) => id),
  );
  return {
    comparisons: rows.map(({ id, prompt, createdAt }) => ({
      id,
      title: titleOf(prompt),
      models: compared.get(id)?.models ?? [],
      running: compared.get(id)?.running ?? false,
      createdAt: new Date(createdAt).toISOString(),
    })),
    ...next,
  };
}

/** Stops running answers, at the providers too, and keeps their text. */
export async function stopComparison(actor: Actor, id: string): Promise<void> {
  authorise(actor, "chat.use");
  requireRow(actor, id);
  if (!listCompared(actor, [id]).get(id)?.running) return;
  transaction((tx) => append(tx, actor, { action: "comparison.stopped", resource: `comparison:${id}` }));
  await stopCompared(actor, id);
}

/** Keeps continued conversations and usage records. */
export async function deleteComparison(actor: Actor, id: string): Promise<void> {
  authorise(actor, "chat.use");
  requireRow(actor, id);
  // A running answer needs its row.
  await stopCompared(actor, id);
  transaction((tx) => {
    if (!deleteComparisonRow(tx, actor, id)) missing();
    append(tx, actor, { action: "comparison.deleted", resource: `comparison:${id}` });
  });
}

/**
 * Copies an answer into a new conversation.
 * @returns its id
 * @throws AppError `conflict` while the answer is being written
 */
export function continueInChat(actor: Actor, id: string, conversationId: string): string {
  const { answers } = readComparison(actor, id);
  if (!answers.some((answer) => answer.conversationId === conversationId)) {
    throw new AppError("not_found", "Answer not found in this comparison.");
  }
  return continueCompared(actor, conversationId);
}
