import { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { hasFinalText } from "./columns.shared";
import type { Difference } from "./comparisons.schema";
import { readComparison } from "./comparisons.service.server";
import { Change, type DifferencesTask } from "./differences-task";

const pool = new WorkerPool<DifferencesTask, Change[]>({
  name: "differences",
  entry: bundledWorker("differences"),
  output: z.array(Change),
  size: 1,
  timeoutMs: 20_000,
  tooLong: "Finding the differences took too long.",
  maxHeapMb: 256,
  maxQueue: 50,
});

/** As `findDifferences`, or why there are none: the answers are shown without them. */
export async function explainDifferences(
  actor: Actor,
  id: string,
  base: string,
): Promise<{ differences: Difference[]; problem?: string }> {
  try {
    return { differences: await findDifferences(actor, id, base) };
  } catch (error) {
    if (error instanceof AppError) return { differences: [], problem: error.message };
    throw error;
  }
}

/**
 * How the texts of a comparison's other answers differ from one of them. Answers without a text, and those that are still
 * being written, aren't listed.
 * @param base conversation of the answer that the others are held against
 * @throws AppError `not_found`; `conflict` while the base has no text that has ended; `unavailable` if it takes too long
 */
export async function findDifferences(actor: Actor, id: string, base: string): Promise<Difference[]> {
  const { answers } = readComparison(actor, id);
  const against = answers.find(({ conversationId }) => conversationId === base);
  if (!against) throw new AppError("not_found", "Answer not found in this comparison.");
  if (!hasFinalText(against.answer))
    throw new AppError("conflict", "This answer has no finished text to compare with.");
  const others = answers.filter((other) => other !== against && hasFinalText(other.answer));
  return Promise.all(
    others.map(async ({ conversationId, answer }) => ({
      conversationId,
      changes: await pool.run({ base: against.answer.content, text: answer.content }),
    })),
  );
}
