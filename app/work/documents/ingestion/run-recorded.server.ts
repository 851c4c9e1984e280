import { z } from "zod";
import { db } from "~/core/db.server";
import { type JobContext, Postponed } from "~/platform/jobs/job-kind.service.server";
import { findJob, type JobRow } from "../jobs/jobs.repo.server";
import { type IngestionContext, STEPS, type Step } from "./context";
import { toJobError } from "./failure.server";

/** The furthest step of any attempt, to detect crashes without progress. */
const Furthest = z.object({ step: z.enum(STEPS), done: z.number() });
/** Minimum interval of checkpoints within a step (ms). */
const CHECKPOINT_EVERY = 1000;

function createReporter(context: JobContext<unknown>) {
  const parsed = Furthest.safeParse(context.checkpoint);
  let furthest = parsed.success ? parsed.data : undefined;
  let saved = { step: furthest?.step, at: Number.NEGATIVE_INFINITY };
  let current: Step | null = null;
  const isFurther = (step: Step, done: number) => {
    const ahead = STEPS.indexOf(step) - (furthest ? STEPS.indexOf(furthest.step) : -1);
    return ahead > 0 || (ahead === 0 && done > (furthest?.done ?? 0));
  };
  const report: IngestionContext["progress"] = (step, done, total) => {
    current = step;
    context.progress({ step, done, total });
    if (!isFurther(step, done)) return;
    furthest = { step, done };
    if (step === saved.step && performance.now() - saved.at < CHECKPOINT_EVERY) return;
    saved = { step, at: performance.now() };
    context.saveCheckpoint(furthest, { isDeferred: true });
  };
  return { report, currentStep: () => current };
}

/** Runs a job unless its record has ended, as after a crash between both commits. */
export async function runRecorded(
  context: JobContext<unknown>,
  work: (record: JobRow, context: IngestionContext) => Promise<void>,
): Promise<void> {
  const record = findJob(db(), context.jobId);
  if (record?.state !== "running") return;
  const { report, currentStep } = createReporter(context);
  try {
    await work(record, { signal: context.signal, progress: report, succeed: (tx) => context.succeed(tx) });
  } catch (error) {
    if (error instanceof Postponed || context.signal.aborted) throw error;
    throw toJobError(error, currentStep());
  }
}
