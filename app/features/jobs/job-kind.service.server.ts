import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { JobProgress } from "./jobs.schema";

/** Lanes with the number of jobs that run in each at once. */
export const LANES = { interactive: 4, bulk: 2, maintenance: 2 } as const;
export type Lane = keyof typeof LANES;

/** What a job's work is handed. */
export interface JobContext<Input> {
  jobId: string;
  orgId: string | null;
  input: Input;
  /** Failures before this attempt. */
  attempts: number;
  /** Fires when the job is cancelled, takes too long, or the process stops. */
  signal: AbortSignal;
  /**
   * The person who asked for it, with the role they have now.
   *
   * @throws AppError `forbidden` when their access has ended
   */
  actor(): Actor;
  /** Shown to people; written at most twice a second. */
  progress(progress: JobProgress): void;
  /** The state that the last `saveCheckpoint` left, also before a crash. */
  checkpoint: unknown;
  /** Keeps a small state for the next attempt. A job that gets further isn't what makes the process crash. */
  saveCheckpoint(state: unknown): void;
}

/** How a job ended, for `onEnd`. */
export type JobEnd = { state: "succeeded" } | { state: "failed"; error: string } | { state: "cancelled" };

/** When a kind is due by itself. */
export type DueTimes =
  | { everyMs: number; atStart?: boolean }
  | { cron: string; timeZone?: string; atStart?: boolean };

export interface JobKindDefinition<S extends z.ZodType> {
  /** Such as `sessions.sweep`; stored with each job. */
  kind: string;
  /** What it does, as the System screen shows it: "Delete expired sessions". */
  title: string;
  input: S;
  lane: Lane;
  /** How many of it run at once; without it as many as the lane allows. */
  concurrency?: number;
  /** How long one attempt may take, in ms. */
  timeoutMs: number;
  retry?: { attempts: number; backoffMs: readonly number[] };
  /** How long a job that succeeded is kept, in ms. Failed ones stay for 30 days. */
  keepMs?: number;
  /** For work that is due by itself, with the input of each time. */
  schedule?: DueTimes & { input: z.input<S> };
  run(context: JobContext<z.infer<S>>): void | Promise<void>;
  /** Runs in the transaction that ends the job. */
  onEnd?(tx: Db, job: { id: string; orgId: string | null; input: z.infer<S> }, end: JobEnd): void;
}

/** A kind of background work with its input's type erased. */
export interface JobKind extends Omit<JobKindDefinition<z.ZodType>, "run" | "onEnd"> {
  run(context: JobContext<unknown>): void | Promise<void>;
  onEnd?(tx: Db, job: { id: string; orgId: string | null; input: unknown }, end: JobEnd): void;
}

/** A kind that `enqueue` takes: the brand keeps its input's type. */
export type JobKindOf<Input> = JobKind & { readonly inputType?: Input };

/** Defines a kind of background work: one file, and its line in `app/job-kinds.server.ts`. */
export function defineJob<S extends z.ZodType>(definition: JobKindDefinition<S>): JobKindOf<z.input<S>> {
  // The dispatcher hands `run` and `onEnd` what the kind's own schema parsed, so the erased types are safe.
  return definition as unknown as JobKindOf<z.input<S>>;
}
