import type { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { now } from "~/core/clock.server";
import { reportStep } from "~/core/telemetry.server";
import { clip } from "~/core/well-formed";
import type { RunRow, RunStepRow } from "../runs.repo.server";
import type { LogEntry } from "../runs.schema";
import type { LogLevel, StepAt, StepUsage } from "../steps/step-type";
import { stepSpan } from "./run-states.server";

// What stands in a step's row of the journal, and what the step reports while it runs.

/** Maximum number of log entries per step. */
const MAX_LOG_ENTRIES = 200;
const MAX_LOG_ENTRY_LENGTH = 2000;

interface RowBegin {
  /** Of an earlier attempt. */
  before: RunStepRow | undefined;
  position: number;
  input: unknown;
}

export function beginRow(runId: string, { key, step }: StepAt, begin: RowBegin): RunStepRow {
  const { before, position, input } = begin;
  return {
    runId,
    key,
    stepId: step.id,
    type: step.type,
    position: before?.position ?? position,
    state: "running",
    attempts: before?.attempts ?? 0,
    input,
    output: null,
    branch: null,
    error: null,
    log: before?.log ?? null,
    inputTokens: null,
    outputTokens: null,
    costMicros: null,
    startedAt: before?.startedAt ?? now(),
    finishedAt: null,
  };
}

/** Adds to a step's log, up to its length. */
export const logTo =
  (entries: LogEntry[]) =>
  (level: LogLevel, message: string): void => {
    if (entries.length < MAX_LOG_ENTRIES)
      entries.push({ at: now(), level, message: clip(message, MAX_LOG_ENTRY_LENGTH) });
  };

const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

/** The sum of two usages. A figure is null if both are. */
export const addUsage = (a: StepUsage, b: StepUsage): StepUsage => ({
  inputTokens: sum(a.inputTokens, b.inputTokens),
  outputTokens: sum(a.outputTokens, b.outputTokens),
  costMicros: sum(a.costMicros, b.costMicros),
});

export function reportStepRow(run: RunRow, row: RunStepRow): void {
  const { runId, key, type, state, attempts, startedAt, finishedAt } = row;
  if (finishedAt === null) return;
  const durationMs = finishedAt - startedAt;
  reportStep(() => ({ runId, key, type, state, attempts, durationMs, trace: stepSpan(run, key) }));
}

/** Progress of running tool calls by run and step. */
const stepProgresses = new Map<string, ToolProgress>();

export const stepProgress = (runId: string, stepKey: string): ToolProgress | undefined =>
  stepProgresses.get(`${runId} ${stepKey}`);

export function setProgress(runId: string, stepKey: string, progress: ToolProgress | undefined): void {
  const name = `${runId} ${stepKey}`;
  if (progress) stepProgresses.set(name, progress);
  else stepProgresses.delete(name);
}
