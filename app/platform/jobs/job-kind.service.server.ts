import { EventEmitter } from "node:events";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { ErrorCode } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { publish } from "~/platform/events/events.service.server";
import type { JobRow } from "./jobs.repo.server";
import type { JobProgress } from "./jobs.schema";

/** Concurrent jobs per lane. */
export const LANES = { interactive: 4, bulk: 2, maintenance: 2 } as const;
export type Lane = keyof typeof LANES;

export interface JobContext<Input> {
  jobId: string;
  orgId: string | null;
  /** Id of the user who started it. */
  owner: string;
  input: Input;
  attempts: number;
  /** Fires on cancellation, timeout and shutdown. */
  signal: AbortSignal;
  /** The author with their current role, or the system. @throws AppError `forbidden` if their access has ended */
  actor(): Actor;
  progress(progress: JobProgress): void;
  /** State of the last `saveCheckpoint`, also after a crash. */
  checkpoint: unknown;
  /**
   * Stores a small state for the next attempt. A changed state resets the job's crash count.
   * @param options.mayBeLost isn't synced to the disk, so that a loss of power may undo it
   */
  saveCheckpoint(state: unknown, options?: { mayBeLost?: boolean }): void;
  /** Changes the input in the caller's transaction, for the next attempt and for `onChange`. */
  changeInput(tx: Db, input: Input): void;
  /** Ends the job in the caller's transaction; `run` must return after it. @returns false if it was canceled */
  succeed(tx: Db): boolean;
}

export type JobEnd =
  | { state: "succeeded" }
  | { state: "failed"; error: string; code: ErrorCode }
  | { state: "cancelled" };

/** `queued` means requeued: after a stop, a crash, a failed attempt or a manual retry. */
export type JobChange =
  | { state: "running"; progress?: JobProgress }
  | { state: "queued"; attempts: number; runAt: number; error: string | null }
  | JobEnd;

export interface JobFacts<Input> {
  id: string;
  orgId: string | null;
  owner: string;
  input: Input;
}

/** Thrown by `run` to postpone the job without counting an attempt. */
export class Postponed extends Error {
  /** @param delayMs until the job is due again, in ms */
  constructor(readonly delayMs: number) {
    super("The job is postponed.");
    this.name = "Postponed";
  }
}

export type DueTimes =
  | { everyMs: number; atStart?: boolean }
  | { cron: string; timeZone?: string; atStart?: boolean };

/** What `enqueue` needs of a job kind. */
export interface DeclaredJob<S extends z.ZodType = z.ZodType> {
  kind: string;
  input: S;
  lane: Lane;
}

/** Declares a job kind where its jobs are queued, for work that itself imports that place. Other kinds are only defined. */
export function declareJob<S extends z.ZodType>(job: DeclaredJob<S>): DeclaredJob<S> {
  return job;
}

interface JobKindDefinition<S extends z.ZodType> extends DeclaredJob<S> {
  /** Shown on the System screen, such as "Delete expired sessions". */
  title: string;
  /** Concurrency; defaults to the lane's. */
  concurrency?: number;
  /** Time limit of an attempt, in ms. */
  timeoutMs: number;
  retry?: { attempts: number; backoffMs: readonly number[] };
  /** It completes acknowledged work, so it can't be canceled. */
  mustFinish?: true;
  /** Whether it has something to delete now: on a full disk it then gets a part of the reserve. */
  freesSpace?(): boolean;
  /** Its errors may quote restricted content, so the System screen omits them. */
  hasPrivateErrors?: boolean;
  /** Retention of successful jobs, in ms. Failed ones stay for 30 days. */
  keepMs?: number;
  /** For scheduled work, with the input of each run. */
  schedule?: DueTimes & { input: z.input<S> };
  run(context: JobContext<z.infer<S>>): void | Promise<void>;
  /** Runs in the transaction that changes the job. */
  onChange?(tx: Db, job: JobFacts<z.infer<S>>, change: JobChange): void;
  /** Replaces a manual retry, for features with their own. */
  onRetry?(tx: Db, actor: Actor, job: JobFacts<z.infer<S>>): void;
}

export interface JobKind extends Omit<JobKindDefinition<z.ZodType>, "run" | "onChange" | "onRetry"> {
  run(context: JobContext<unknown>): void | Promise<void>;
  onChange?(tx: Db, job: JobFacts<unknown>, change: JobChange): void;
  onRetry?(tx: Db, actor: Actor, job: JobFacts<unknown>): void;
}

/** Defines a job kind, in its feature's `.jobs.server.ts`. */
export function defineJob<S extends z.ZodType>(definition: JobKindDefinition<S>): JobKind & DeclaredJob<S> {
  // Safe: the dispatcher passes what the schema parsed.
  return definition as unknown as JobKind & DeclaredJob<S>;
}

/** Undefined if another version stored an unknown input. */
export function jobFacts(
  kind: JobKind,
  { id, orgId, owner, input }: JobFacts<unknown>,
): JobFacts<unknown> | undefined {
  const parsed = kind.input.safeParse(input);
  return parsed.success ? { id, orgId, owner, input: parsed.data } : undefined;
}

export function reportChange(tx: Db, kind: JobKind, job: JobFacts<unknown>, change: JobChange): void {
  if (!kind.onChange) return;
  const facts = jobFacts(kind, job);
  if (facts) kind.onChange(tx, facts, change);
}

// Avoids an import cycle with the dispatcher.
const holder = () => kept("job wake", (): { wake?: (() => void) | undefined } => ({}));

/** Registers the dispatcher. @returns a function to unregister */
export function onWake(dispatch: () => void): () => void {
  holder().wake = dispatch;
  return () => {
    if (holder().wake === dispatch) holder().wake = undefined;
  };
}

/** Wakes the dispatcher after the current transaction. */
export function wakeDispatcher(): void {
  holder().wake?.();
}

/** Reports that a job started, progressed or ended; its state is read from its row. */
export type ChangedJob = Pick<JobRow, "id" | "kind" | "orgId" | "subject">;

const emitter = new EventEmitter<{ change: [ChangedJob] }>();
emitter.setMaxListeners(0);

export function emitJobChange({ id, kind, orgId, subject }: ChangedJob): void {
  try {
    emitter.emit("change", { id, kind, orgId, subject });
    publish({ topic: "jobs", orgId });
  } catch (error) {
    // A failing listener doesn't stop the queue.
    log.error("a job change listener failed", { job: id, error });
  }
}

/** @returns a function to unsubscribe */
export function onJobChanged(listener: (change: ChangedJob) => void): () => void {
  emitter.on("change", listener);
  return () => void emitter.off("change", listener);
}
