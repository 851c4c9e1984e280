import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { ErrorCode } from "~/core/errors";
import type { JobProgress } from "./jobs.schema";

/** Lanes with the number of jobs that run in each at once. */
export const LANES = { interactive: 4, bulk: 2, maintenance: 2 } as const;
export type Lane = keyof typeof LANES;

export interface JobContext<Input> {
  jobId: string;
  orgId: string | null;
  input: Input;
  /** Failures before this attempt. */
  attempts: number;
  /** Fires when the job is cancelled, takes too long, or the process stops. */
  signal: AbortSignal;
  /**
   * The person who started it, with their current role, or the system.
   * @throws AppError `forbidden` when their access has ended
   */
  actor(): Actor;
  /** Shown to people; written at most twice a second. */
  progress(progress: JobProgress): void;
  /** The state that the last `saveCheckpoint` left, also before a crash. */
  checkpoint: unknown;
  /**
   * Keeps a small state for the next attempt. A job that gets further isn't what makes the process crash.
   *
   * @param options.joins true where the last 250 ms may be lost in a crash: it needs no commit of its own
   */
  saveCheckpoint(state: unknown, options?: { joins?: boolean }): void;
  /** Ends the job in the caller's transaction, with its last write; the run returns after it. */
  succeed(tx: Db): void;
}

export type JobEnd =
  | { state: "succeeded" }
  | { state: "failed"; error: string; code: ErrorCode }
  | { state: "cancelled" };

/**
 * A change of a job's state. `queued` is a job that was put back: by a stop or a crash, for its next attempt, or by a
 * person's retry.
 */
export type JobChange =
  | { state: "running"; progress?: JobProgress }
  | { state: "queued"; attempts: number; runAt: number; error: string | null }
  | JobEnd;

export interface JobFacts<Input> {
  id: string;
  orgId: string | null;
  input: Input;
}

/** Thrown by `run` where the work can't begin yet: the job is due again later, without counting as an attempt. */
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

/** What it takes to queue a job. Apart from its kind where the kind's own work queues more of it. */
export interface JobType<S extends z.ZodType> {
  /** Such as `sessions.sweep`; stored with each job. */
  kind: string;
  input: S;
  lane: Lane;
}

export interface JobKindDefinition<S extends z.ZodType> extends JobType<S> {
  /** What it does, as the System screen shows it: "Delete expired sessions". */
  title: string;
  /** How many of it run at once; without it as many as the lane allows. */
  concurrency?: number;
  /** How long one attempt may take, in ms. */
  timeoutMs: number;
  retry?: { attempts: number; backoffMs: readonly number[] };
  /** It completes acknowledged work, so it can't be canceled. */
  mustFinish?: true;
  /** Its errors may quote restricted content, so the System screen omits them. */
  hasPrivateErrors?: boolean;
  /** How long a job that succeeded is kept, in ms. Failed ones stay for 30 days. */
  keepMs?: number;
  /** For scheduled work, with the input of each run. */
  schedule?: DueTimes & { input: z.input<S> };
  run(context: JobContext<z.infer<S>>): void | Promise<void>;
  /** Runs in the transaction that changes the job: for a record of the feature that shows it. */
  onChange?(tx: Db, job: JobFacts<z.infer<S>>, change: JobChange): void;
  /** In place of queueing a failed job again, for a feature that retries in its own way. */
  onRetry?(tx: Db, actor: Actor, job: JobFacts<z.infer<S>>): void;
}

export interface JobKind extends Omit<JobKindDefinition<z.ZodType>, "run" | "onChange" | "onRetry"> {
  run(context: JobContext<unknown>): void | Promise<void>;
  onChange?(tx: Db, job: JobFacts<unknown>, change: JobChange): void;
  onRetry?(tx: Db, actor: Actor, job: JobFacts<unknown>): void;
}

/** A kind whose brand keeps its input's type. */
export type JobKindOf<Input> = JobKind & { readonly inputType?: Input };
export type JobTypeOf<Input> = JobType<z.ZodType> & { readonly inputType?: Input };

/** Defines a kind of background work: one file, and its line in `app/job-kinds.server.ts`. */
export function defineJob<S extends z.ZodType>(definition: JobKindDefinition<S>): JobKindOf<z.input<S>> {
  // The dispatcher hands `run` and the hooks what the kind's own schema parsed, so the erased types are safe.
  return definition as unknown as JobKindOf<z.input<S>>;
}

/** A job as its kind's hooks get it; undefined where its input was stored by a program that knew another schema. */
export function jobFacts(
  kind: JobKind,
  job: { id: string; orgId: string | null; input: unknown },
): JobFacts<unknown> | undefined {
  const input = kind.input.safeParse(job.input);
  return input.success ? { id: job.id, orgId: job.orgId, input: input.data } : undefined;
}

export function reportChange(
  tx: Db,
  kind: JobKind,
  job: { id: string; orgId: string | null; input: unknown },
  change: JobChange,
): void {
  if (!kind.onChange) return;
  const facts = jobFacts(kind, job);
  if (facts) kind.onChange(tx, facts, change);
}
