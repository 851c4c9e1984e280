import { setTimeout as delay } from "node:timers/promises";
import { withDeadline } from "~/core/abort";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction } from "~/core/db.server";
import { exponentialBackoff } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log as processLog } from "~/core/log.server";
import { reportStep } from "~/core/telemetry.server";
import { clip } from "~/core/well-formed";
import { listStepRows, putStep, type RunRow, type RunStepRow, updateRun } from "../runs.repo.server";
import type { LogEntry } from "../runs.schema";
import type { Json, LogLevel, StepResult, StepServices, StepType } from "../steps/step-type";
import { isFinal, messageOf, StepFailure } from "./failures.server";
import type { Prepared } from "./fill-config";
import type { StepAt } from "./graph";
import { notifyApproval } from "./notify-run.server";
import { boundInput, readOutput, storeOutput } from "./outputs.server";
import { dueTimeOf } from "./run-ends.server";
import { sendQuestion } from "./send-question.server";

/** Maximum number of log entries per step. */
const MAX_LOG_ENTRIES = 200;
const MAX_LOG_ENTRY_LENGTH = 2000;
const DEFAULT_RETRY_DELAY = 2;
const MAX_DELAY_MS = 5 * 60_000;

/** Output of a running step that asks after a crash, until its call leaves. */
const UNSENT = { sent: false };

const mayHaveSent = ({ output }: RunStepRow) => (output as Partial<typeof UNSENT> | null)?.sent !== false;

/** Suspends a waiting run for a later replay. */
export class Suspended extends Error {
  constructor(
    readonly stepId: string,
    /** Committed with the suspension. */
    readonly arrange: (tx: Db) => void,
  ) {
    super("suspended");
  }
}

export type StepUsage = Pick<RunStepRow, "inputTokens" | "outputTokens" | "costMicros">;

const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

/** The sum of two usages. A figure is null if both are. */
export const addUsage = (a: StepUsage, b: StepUsage): StepUsage => ({
  inputTokens: sum(a.inputTokens, b.inputTokens),
  outputTokens: sum(a.outputTokens, b.outputTokens),
  costMicros: sum(a.costMicros, b.costMicros),
});

function reportStepRow({ runId, key, type, state, attempts, startedAt, finishedAt }: RunStepRow): void {
  if (finishedAt !== null)
    reportStep(() => ({ runId, key, type, state, attempts, durationMs: finishedAt - startedAt }));
}

interface JournalOptions {
  run: RunRow;
  findType: (type: string) => StepType | undefined;
  /** Authorized per step. */
  actor: () => import("~/core/actor").Actor;
  services: (
    at: StepAt,
    signal: AbortSignal,
    onUsage: (usage: StepUsage) => void,
    onSending?: () => Promise<void>,
  ) => StepServices;
  signal: AbortSignal;
  /** Schedules a resumption. */
  wakeAt(tx: Db, at: number): void;
  startChild(at: StepAt, config: unknown): Promise<string>;
  /** Undefined while the child runs. */
  childEnd(runId: string): { output: Json } | { error: string } | undefined;
  /** @param isProgress whether a step has succeeded */
  onChange(isProgress: boolean): void;
}

/**
 * A run's journal. Writes of an event-loop tick share a commit and aren't awaited: after a crash a step repeats with
 * the same key.
 */
export class Journal {
  /** In ms. */
  readonly startedAt: number;
  readonly #rows: Map<string, RunStepRow>;
  #crashes: number;
  #position: number;
  #writes: Promise<unknown>[] = [];

  constructor(private readonly options: JournalOptions) {
    const rows = listStepRows(db(), options.run.id);
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    this.#position = rows.length;
    this.#crashes = options.run.crashes;
    this.startedAt = options.run.startedAt ?? options.run.createdAt;
  }

  /** @throws the error of a failed write */
  async settled(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    await Promise.all(writes);
  }

  #put(row: RunStepRow): Promise<void> {
    this.#rows.set(row.key, row);
    reportStepRow(row);
    const isProgress = row.state === "succeeded";
    const clears = isProgress && this.#crashes > 0;
    if (clears) this.#crashes = 0;
    const write = groupedTransaction((tx) => {
      putStep(tx, row);
      if (clears) updateRun(tx, row.runId, ["running"], { crashes: 0 });
    }).then(() => this.options.onChange(isProgress));
    this.#writes.push(write);
    // `settled` reports the error.
    write.catch(() => undefined);
    return write;
  }

  /** @throws StepFailure of a step that had failed, after which the run may have gone on */
  #finished(at: StepAt): StepResult | undefined {
    const row = this.#rows.get(at.key);
    if (row?.state === "failed") throw new StepFailure(at, row.error ?? "The step failed.");
    if (row?.state !== "succeeded") return undefined;
    return {
      output: readOutput(row.output),
      ...(row.branch === null ? {} : { branch: row.branch }),
      ...(this.options.findType(row.type)?.type === "return" ? { returns: true as const } : {}),
    };
  }

  #prepare(at: StepAt, prepare: () => Prepared): Prepared {
    const row = this.#rows.get(at.key);
    try {
      return prepare();
    } catch (error) {
      const failure = error instanceof StepFailure ? error : new StepFailure(at, messageOf(error));
      if (!(error instanceof AppError) && !(error instanceof StepFailure))
        processLog.error("a workflow step could not be prepared", { error });
      void this.#put({
        ...(row ?? this.#begun(at, null)),
        state: "failed",
        error: failure.message,
        finishedAt: now(),
      });
      throw failure;
    }
  }

  #begun({ key, step }: StepAt, config: unknown): RunStepRow {
    const before = this.#rows.get(key);
    if (!before) this.#position += 1;
    return {
      runId: this.options.run.id,
      key,
      stepId: step.id,
      type: step.type,
      position: before?.position ?? this.#position,
      state: "running",
      attempts: before?.attempts ?? 0,
      input: boundInput(config),
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

  async #succeed(row: RunStepRow, result: StepResult): Promise<StepResult> {
    const output = await storeOutput(row.runId, row.key, result.output);
    void this.#put({
      ...row,
      state: "succeeded",
      output,
      branch: result.branch ?? null,
      finishedAt: now(),
    });
    return { ...result, output: readOutput(output) };
  }

  /** Runs a step with retries, unless it is journaled. @throws StepFailure */
  async step(at: StepAt, prepare: () => Prepared): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const { findType, run, signal, actor, services } = this.options;
    const type = findType(at.step.type);
    if (!type?.run) throw new StepFailure(at, `Unknown step type "${at.step.type}". Remove the step.`);
    signal.throwIfAborted();
    const { config } = this.#prepare(at, prepare);
    const repeatable = typeof type.repeatable === "function" ? type.repeatable(config) : type.repeatable;
    const {
      retries = 0,
      retryDelaySeconds = DEFAULT_RETRY_DELAY,
      timeoutSeconds,
      askAfterCrash,
    } = at.step.options ?? {};
    const before = this.#rows.get(at.key);
    const asks = askAfterCrash === true && !repeatable;
    if (before?.state === "running" && asks && mayHaveSent(before))
      throw new Suspended(at.step.id, (tx) => {
        putStep(tx, { ...before, state: "waiting" });
        notifyApproval(tx, this.options.run, before);
      });
    const ms = (timeoutSeconds ?? type.timeoutMs / 1000) * 1000;
    const timeoutError = () =>
      new AppError("provider_timeout", `The step took longer than ${ms / 1000} s. Raise its time limit.`);
    const runStep = type.run;
    let row = this.#begun(at, config);
    for (;;) {
      row = { ...row, attempts: row.attempts + 1, state: "running", output: asks ? UNSENT : null };
      const written = this.#put(row);
      // Not repeatable: its start must be on disk first.
      if (!repeatable) await written;
      const entries: LogEntry[] = [...((row.log as LogEntry[] | null) ?? [])];
      const onUsage = (usage: StepUsage) => {
        row = { ...row, ...addUsage(row, usage) };
      };
      try {
        const result = await withDeadline({ ms, timeoutError, signal }, (attempt) => {
          const onSending = async () => {
            attempt.throwIfAborted();
            if (row.output !== UNSENT) return;
            row = { ...row, output: null };
            await this.#put(row);
            attempt.throwIfAborted();
          };
          return runStep({
            config,
            actor: actor(),
            runId: run.id,
            stepId: at.step.id,
            idempotencyKey: `${run.id}:${at.key}`,
            attempt: row.attempts,
            signal: attempt,
            services: services(at, attempt, onUsage, asks ? onSending : undefined),
            log: (level: LogLevel, message: string) => {
              if (entries.length < MAX_LOG_ENTRIES)
                entries.push({ at: now(), level, message: clip(message, MAX_LOG_ENTRY_LENGTH) });
            },
          });
        });
        return await this.#succeed({ ...row, log: entries }, result);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof AppError)) processLog.error("a workflow step failed unexpectedly", { error });
        const message = messageOf(error);
        if (isFinal(error) || row.attempts > retries) {
          void this.#put({
            ...row,
            log: entries,
            state: "failed",
            output: null,
            error: message,
            finishedAt: now(),
          });
          throw new StepFailure(at, message);
        }
        entries.push({ at: now(), level: "warn", message: `Attempt ${row.attempts} failed: ${message}` });
        row = { ...row, log: entries, output: asks ? UNSENT : null };
        // The next attempt needs no question, as it would without a crash.
        if (asks) void this.#put(row);
        await delay(
          exponentialBackoff(row.attempts - 1, {
            first: retryDelaySeconds * 1000,
            max: MAX_DELAY_MS,
          }),
          undefined,
          {
            signal,
          },
        ).catch(() => signal.throwIfAborted());
      }
    }
  }

  /** Waits for the seconds of the configuration, from the first attempt on. */
  async sleep(at: StepAt, prepare: () => Prepared): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const before = this.#rows.get(at.key);
    const { config } = this.#prepare(at, prepare);
    const { startedAt, ...begun } = before ?? { ...this.#begun(at, config), state: "waiting" as const };
    const row = { ...begun, startedAt: Math.min(startedAt, now()) };
    const until = dueTimeOf(row) ?? row.startedAt;
    if (now() >= until) return this.#succeed(row, { output: { until: new Date(until).toISOString() } });
    throw new Suspended(at.step.id, (tx) => {
      putStep(tx, row);
      this.options.wakeAt(tx, until);
    });
  }

  /** Waits for a person's approval. */
  async waitFor(at: StepAt, prepare: () => Prepared): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const { config } = this.#prepare(at, prepare);
    const row = await this.#ask(at, this.#rows.get(at.key) ?? this.#begun(at, config));
    const until = dueTimeOf(row);
    if (until !== undefined && now() >= until)
      return this.#succeed(row, {
        output: { approved: false, by: null, comment: "No answer within the time limit" },
        branch: "refused",
      });
    throw new Suspended(at.step.id, (tx) => {
      putStep(tx, row);
      notifyApproval(tx, this.options.run, row);
      if (until !== undefined) this.options.wakeAt(tx, until);
    });
  }

  /** @returns the waiting step's row */
  async #ask(at: StepAt, row: RunStepRow): Promise<RunStepRow> {
    if (row.state !== "running") return row;
    const { sendTo = [] } = (row.input ?? {}) as { sendTo?: string[] };
    if (sendTo.length === 0) return { ...row, state: "waiting" };
    // Links contain the start time, which must be on disk first.
    await this.#put(row);
    const { signal, services } = this.options;
    const mailer = services(at, signal, () => undefined);
    const entries = await sendQuestion(mailer, row, sendTo, signal);
    return { ...row, state: "waiting", log: entries };
  }

  /** Runs another workflow and waits for its result. */
  async child(at: StepAt, prepare: () => Prepared): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const before = this.#rows.get(at.key);
    const { config } = this.#prepare(at, prepare);
    let childId = (before?.output as { runId?: string } | null | undefined)?.runId;
    try {
      childId ??= await this.options.startChild(at, config);
    } catch (error) {
      // A stop isn't the step's failure.
      this.options.signal.throwIfAborted();
      const message = messageOf(error);
      void this.#put({
        ...(before ?? this.#begun(at, config)),
        state: "failed",
        error: message,
        finishedAt: now(),
      });
      throw new StepFailure(at, message);
    }
    const row = before ?? {
      ...this.#begun(at, config),
      state: "waiting" as const,
      output: { runId: childId },
    };
    const end = this.options.childEnd(childId);
    if (!end) throw new Suspended(at.step.id, (tx) => putStep(tx, row));
    if ("output" in end) return this.#succeed(row, { output: end.output });
    const message = `The run ${childId} failed: ${end.error}`;
    void this.#put({ ...row, state: "failed", error: message, finishedAt: now() });
    throw new StepFailure(at, message);
  }

  /** Journals a step that the interpreter ran itself. */
  record(at: StepAt, prepare: () => Prepared, result: () => StepResult): StepResult {
    const finished = this.#finished(at);
    if (finished) return finished;
    const prepared = this.#prepare(at, () => ({ config: prepare().config }));
    let outcome: StepResult | undefined;
    this.#prepare(at, () => {
      outcome = result();
      return prepared;
    });
    const { output, ...rest } = outcome as StepResult;
    const row = this.#begun(at, prepared.config);
    void this.#put({
      ...row,
      attempts: 1,
      state: "succeeded",
      output: boundInput(output),
      branch: rest.branch ?? null,
      finishedAt: now(),
    });
    return { output, ...rest };
  }
}
