import { setTimeout as delay } from "node:timers/promises";
import { withDeadline } from "~/core/abort";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { exponentialBackoff, isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log as processLog } from "~/core/log.server";
import { inTrace } from "~/core/trace-context.server";
import {
  findStepRow,
  listStepRows,
  putStep,
  type RunRow,
  type RunStepRow,
  updateRun,
} from "../runs.repo.server";
import type { LogEntry } from "../runs.schema";
import { makeStepServices } from "../step-services.server";
import type { Json, StepAt, StepResult, StepServices, StepType, StepUsage } from "../steps/step-type";
import type { WorkflowRow } from "../workflows.repo.server";
import { Branches } from "./branches";
import { isFinal, messageOf, StepFailure, Suspended } from "./failures.server";
import { editedConfig } from "./fill-config";
import { notifyApproval, sendQuestion } from "./notify-run.server";
import { boundInput, copyOutput, readOutput, recordOutput, storeOutput } from "./outputs.server";
import { runActor } from "./run-actor.server";
import { dueTimeOf, findEnd, stepSpan, wakeTimeOfStep } from "./run-states.server";
import { addUsage, beginRow, logTo, reportStepRow, setProgress } from "./step-rows.server";

/** In seconds. */
const RETRY_DELAY = 2;
const MAX_DELAY_MS = 5 * 60_000;

/** Output of a running step that asks after a crash, until its call leaves. */
const UNSENT = { sent: false };

const mayHaveSent = ({ output }: RunStepRow) => (output as Partial<typeof UNSENT> | null)?.sent !== false;

interface JournalOptions {
  run: RunRow;
  workflow: WorkflowRow;
  signal: AbortSignal;
  /** Schedules a resumption. */
  wakeAt(tx: Db, at: number): void;
  startChild(at: StepAt, config: unknown): Promise<string>;
  /** @param isProgress whether a step has succeeded */
  onChange(isProgress: boolean): void;
}

/**
 * A run's journal. Writes of an event-loop tick share a commit and aren't awaited: after a crash a step repeats with
 * the same key.
 */
export class Journal {
  readonly run: RunRow;
  readonly workflow: WorkflowRow;
  /** In ms. */
  readonly startedAt: number;
  readonly #rows: Map<string, RunStepRow>;
  #crashes: number;
  #position: number;
  #writes: Promise<unknown>[] = [];
  #branches: Branches | undefined;

  constructor(private readonly options: JournalOptions) {
    const { run, workflow } = options;
    const rows = listStepRows(db(), run.id);
    this.run = run;
    this.workflow = workflow;
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    this.#position = rows.length;
    this.#crashes = run.crashes;
    this.startedAt = run.startedAt ?? run.createdAt;
  }

  get #signal(): AbortSignal {
    return this.#branches?.signal ?? this.options.signal;
  }

  /** Lets steps run at the same time. */
  branch(): Branches {
    this.#branches = new Branches(this.options.signal, {
      hold: (suspended) => this.#hold(suspended),
      isFree: (key) => this.#isFree(key),
    });
    return this.#branches;
  }

  /** What has come meanwhile isn't overwritten: an answer, while the replay came to its question again. */
  async #hold({ key, arrange }: Suspended): Promise<void> {
    await groupedTransaction((tx) => {
      const before = this.#rows.get(key);
      if (before?.state !== "waiting" || findStepRow(tx, this.run.id, key)?.state === "waiting") arrange(tx);
    });
    this.#load(key);
    this.options.onChange(false);
  }

  /** Takes over what others wrote to a step's row. */
  #load(key: string): RunStepRow | undefined {
    const row = findStepRow(db(), this.run.id, key);
    if (row) this.#rows.set(key, row);
    return row;
  }

  #isFree(key: string): boolean {
    const row = this.#load(key);
    return row?.state !== "waiting" || wakeTimeOfStep(row) <= now();
  }

  /** Whether a branch waits for an answer that counts while the run goes on. */
  isAsking(key: string): boolean {
    return this.#branches !== undefined && this.#rows.get(key)?.state === "waiting";
  }

  /** Lets the branches go on whose wait is over, and arranges the wake-up of the others. */
  wake(): void {
    this.#branches?.wake();
    const times = this.held().map(wakeTimeOfStep);
    const next = Math.min(...times);
    if (Number.isFinite(next)) transaction((tx) => this.options.wakeAt(tx, next));
  }

  /** The waiting steps of branches. */
  held(): RunStepRow[] {
    return (this.#branches?.held ?? []).flatMap((key) => findStepRow(db(), this.run.id, key) ?? []);
  }

  /** @throws the error of a failed write */
  async settled(): Promise<void> {
    await Promise.all(this.#writes.splice(0));
  }

  #put(row: RunStepRow): Promise<void> {
    this.#rows.set(row.key, row);
    reportStepRow(this.run, row);
    const isProgress = row.state === "succeeded";
    const clears = isProgress && this.#crashes > 0;
    if (clears) this.#crashes = 0;
    const write = groupedTransaction((tx) => {
      putStep(tx, row);
      recordOutput(tx, row.runId, row.output);
      if (clears) updateRun(tx, row.runId, ["running"], { crashes: 0 });
    }).then(() => this.options.onChange(isProgress));
    this.#writes.push(write);
    // `settled` reports the error.
    write.catch(() => undefined);
    return write;
  }

  /** @throws StepFailure of a step that had failed, after which the run may have gone on */
  #finished(at: StepAt): StepResult | undefined {
    const known = this.#rows.get(at.key);
    // In a branch the answer may have come while the run went on.
    const row = this.#branches && known?.state === "waiting" ? this.#load(at.key) : known;
    if (row?.state === "failed") throw new StepFailure(at, row.error ?? "The step failed.");
    if (row?.state !== "succeeded") return undefined;
    return {
      ...this.#result(row.output, row.type === "return" ? { returns: true } : {}),
      ...(row.branch === null ? {} : { branch: row.branch }),
    };
  }

  /** A returned output stays as it is stored, since the run's end keeps it whole. */
  #result<T extends Pick<StepResult, "returns">>(stored: unknown, result: T): T & { output: Json } {
    return { ...result, output: result.returns ? (stored as Json) : readOutput(this.run.id, stored) };
  }

  /** Records a step's failure. @returns what is thrown */
  #fail(at: StepAt, row: RunStepRow, message: string): StepFailure {
    void this.#put({ ...row, state: "failed", error: message, finishedAt: now() });
    return new StepFailure(at, message);
  }

  /** @returns the configuration with its expressions resolved */
  #prepare(at: StepAt, prepare: () => unknown): unknown {
    try {
      return editedConfig(this.run, at) ?? prepare();
    } catch (error) {
      if (!(error instanceof AppError)) processLog.error("a workflow step could not be prepared", { error });
      throw this.#fail(at, this.#rows.get(at.key) ?? this.#begun(at, null), messageOf(error));
    }
  }

  #begun(at: StepAt, config: unknown): RunStepRow {
    const before = this.#rows.get(at.key);
    if (!before) this.#position += 1;
    return beginRow(this.run.id, at, { before, position: this.#position, input: boundInput(config) });
  }

  async #succeed(row: RunStepRow, result: StepResult): Promise<StepResult> {
    return this.#end(row, result, await storeOutput(row.runId, row.key, result.output));
  }

  /** @param output as it is stored */
  #end(row: RunStepRow, result: Omit<StepResult, "output">, output: unknown): StepResult {
    void this.#put({
      ...row,
      state: "succeeded",
      output,
      branch: result.branch ?? null,
      finishedAt: now(),
    });
    return this.#result(output, result);
  }

  #services(
    { key, step }: StepAt,
    signal: AbortSignal,
    onUsage: (usage: StepUsage) => void,
    more: Pick<Parameters<typeof makeStepServices>[0], "onSending" | "hold"> = {},
  ): StepServices {
    const { run, workflow } = this;
    return makeStepServices({
      actor: { ...runActor(workflow, run), requestId: `${run.id}:${key}` },
      workflowId: workflow.id,
      runId: run.id,
      stepId: step.id,
      signal,
      onUsage,
      ...more,
      onProgress: (progress) => {
        setProgress(run.id, key, progress);
        if (progress) this.options.onChange(false);
      },
      ...(step.options?.timeoutSeconds ? { timeoutMs: step.options.timeoutSeconds * 1000 } : {}),
    });
  }

  /** Runs a step with retries, unless it is journaled. @throws StepFailure */
  async step(at: StepAt, type: StepType, prepare: () => unknown): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const { run, workflow } = this;
    const signal = this.#signal;
    const { run: runStep } = type;
    if (!runStep) throw new Error(`The step type ${type.type} has nothing to run.`);
    signal.throwIfAborted();
    const config = this.#prepare(at, prepare);
    const repeatable = typeof type.repeatable === "function" ? type.repeatable(config) : type.repeatable;
    const { retries = 0, retryDelaySeconds, timeoutSeconds, askAfterCrash } = at.step.options ?? {};
    const before = this.#rows.get(at.key);
    const asks = askAfterCrash === true && !repeatable;
    const isAsked = before?.state === "waiting";
    if (before && (isAsked || (before.state === "running" && asks && mayHaveSent(before))))
      throw new Suspended(at, (tx) => {
        putStep(tx, { ...before, state: "waiting" });
        notifyApproval(tx, run, before);
      });
    const ms = (timeoutSeconds ?? type.timeoutMs / 1000) * 1000;
    const timeoutError = () =>
      new AppError("provider_timeout", `The step took longer than ${ms / 1000} s. Raise its time limit.`);
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
        const result = await withDeadline({ ms, timeoutError, signal }, (attempt, countdown) => {
          const hold = () => countdown.hold();
          const onSending = async () => {
            attempt.throwIfAborted();
            if (row.output !== UNSENT) return;
            row = { ...row, output: null };
            await this.#put(row);
            attempt.throwIfAborted();
          };
          const inputs = {
            config,
            actor: runActor(workflow, run),
            runId: run.id,
            stepId: at.step.id,
            idempotencyKey: `${run.id}:${at.key}`,
            attempt: row.attempts,
            signal: attempt,
            services: this.#services(at, attempt, onUsage, { hold, ...(asks && { onSending }) }),
            log: logTo(entries),
          };
          return inTrace(stepSpan(run, at.key), () => runStep(inputs));
        });
        return await this.#succeed({ ...row, log: entries }, result);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof AppError)) processLog.error("a workflow step failed unexpectedly", { error });
        const message = messageOf(error);
        if (isFinal(error) || row.attempts > retries)
          throw this.#fail(at, { ...row, log: entries, output: null }, message);
        entries.push({ at: now(), level: "warn", message: `Attempt ${row.attempts} failed: ${message}` });
        row = { ...row, log: entries, output: asks ? UNSENT : null };
        // The next attempt needs no question, as it would without a crash.
        if (asks) void this.#put(row);
        const pause = { first: (retryDelaySeconds ?? RETRY_DELAY) * 1000, max: MAX_DELAY_MS };
        await delay(exponentialBackoff(row.attempts - 1, pause), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        );
      }
    }
  }

  /** Runs a step of the interpreter, unless it is journaled. @param go gets the row of an earlier attempt, or a new one */
  async #control(
    at: StepAt,
    prepare: () => unknown,
    go: (row: RunStepRow, config: unknown) => Promise<StepResult>,
  ): Promise<StepResult> {
    const finished = this.#finished(at);
    if (finished) return finished;
    const config = this.#prepare(at, prepare);
    return await go(this.#rows.get(at.key) ?? this.#begun(at, config), config);
  }

  /** Waits for the seconds of the configuration, from the first attempt on. */
  sleep(at: StepAt, prepare: () => unknown): Promise<StepResult> {
    return this.#control(at, prepare, async (before) => {
      const startedAt = Math.min(before.startedAt, now());
      const row = { ...before, state: "waiting" as const, startedAt };
      const until = dueTimeOf(row) ?? startedAt;
      if (now() >= until) return this.#succeed(row, { output: { until: isoTime(until) } });
      throw new Suspended(at, (tx) => {
        putStep(tx, row);
        this.options.wakeAt(tx, until);
      });
    });
  }

  /** Waits for a person's approval. */
  waitFor(at: StepAt, prepare: () => unknown): Promise<StepResult> {
    return this.#control(at, prepare, async (before) => {
      const row = await this.#ask(at, before);
      const until = dueTimeOf(row);
      if (until !== undefined && now() >= until) {
        // An answer comes too late from now on.
        this.#rows.set(at.key, { ...row, state: "running" });
        return this.#succeed(row, {
          output: { approved: false, by: null, comment: "No answer within the time limit" },
          branch: "refused",
        });
      }
      throw new Suspended(at, (tx) => {
        putStep(tx, row);
        notifyApproval(tx, this.run, row);
        if (until !== undefined) this.options.wakeAt(tx, until);
      });
    });
  }

  /** @returns the waiting step's row */
  async #ask(at: StepAt, row: RunStepRow): Promise<RunStepRow> {
    if (row.state !== "running") return row;
    const { sendTo = [] } = (row.input ?? {}) as { sendTo?: string[] };
    if (sendTo.length === 0) return { ...row, state: "waiting" };
    // Links contain the start time, which must be on disk first.
    await this.#put(row);
    const signal = this.#signal;
    const mailer = this.#services(at, signal, () => undefined);
    return { ...row, state: "waiting", log: await sendQuestion(mailer, row, sendTo, signal) };
  }

  /** Runs another workflow and waits for its result. */
  child(at: StepAt, prepare: () => unknown): Promise<StepResult> {
    return this.#control(at, prepare, async (before, config) => {
      let { runId } = (before.output ?? {}) as { runId?: string };
      try {
        runId ??= await inTrace(stepSpan(this.run, at.key), () => this.options.startChild(at, config));
      } catch (error) {
        // A stop isn't the step's failure.
        this.#signal.throwIfAborted();
        throw this.#fail(at, before, messageOf(error));
      }
      const row: RunStepRow = { ...before, state: "waiting", output: { runId } };
      const end = findEnd(runId);
      if (!end) throw new Suspended(at, (tx) => putStep(tx, row));
      if (end.state === "succeeded")
        return this.#end(row, {}, await copyOutput({ runId, output: end.output }, row));
      throw this.#fail(at, row, `The run ${runId} failed: ${end.error ?? "It was canceled."}`);
    });
  }

  /** Journals a step that the interpreter ran itself. */
  record(at: StepAt, prepare: () => unknown, resultOf: (config: unknown) => StepResult): StepResult {
    const finished = this.#finished(at);
    if (finished) return finished;
    const config = this.#prepare(at, prepare);
    const result = resultOf(config);
    void this.#put({
      ...this.#begun(at, config),
      attempts: 1,
      state: "succeeded",
      output: boundInput(result.output),
      branch: result.branch ?? null,
      finishedAt: now(),
    });
    return result;
  }
}
