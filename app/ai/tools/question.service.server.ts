import { z } from "zod";
import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { PatternTask } from "./pattern-task";
import type { AnswerContent, QuestionField } from "./question.schema";
import { checkContent } from "./question.shared";

const pool = new WorkerPool<PatternTask, boolean[]>({
  name: "pattern",
  entry: bundledWorker("pattern"),
  output: z.array(z.boolean()),
  // A pattern that doesn't end within it holds up others' answers for as long.
  timeoutMs: 2000,
  size: 2,
  maxHeapMb: 64,
});

/** Tries patterns in a thread. @returns whether each text fits; undefined if that takes too long */
async function matchInThread(task: PatternTask): Promise<boolean[] | undefined> {
  try {
    return await pool.run(task);
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/**
 * Takes what the fields allow, their patterns included, which are tried in a thread.
 * @returns as `checkContent`
 */
export async function checkAnswer(
  fields: readonly QuestionField[],
  given: Readonly<Record<string, unknown>>,
): Promise<{ content: AnswerContent } | { problems: Map<number, string> }> {
  const checked = checkContent(fields, given);
  if ("problems" in checked) return checked;
  const texts = fields.flatMap(({ name, pattern }, at) => {
    const text = Object.hasOwn(checked.content, name) ? checked.content[name] : undefined;
    return pattern !== undefined && typeof text === "string" ? [{ at, pattern, text }] : [];
  });
  if (texts.length === 0) return checked;
  const fit = await matchInThread(texts.map(({ pattern, text }) => ({ pattern, text })));
  const message = fit
    ? "Enter text that fits the pattern"
    : "This takes too long to check. Enter another text";
  const problems = new Map(texts.filter((_, index) => !fit?.[index]).map(({ at }) => [at, message] as const));
  return problems.size > 0 ? { problems } : checked;
}
