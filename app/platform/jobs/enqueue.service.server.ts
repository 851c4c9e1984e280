import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { traceToKeep } from "~/core/trace-context.server";
import type { DeclaredJob } from "./job-kind.service.server";
import { wakeDispatcher } from "./job-kind.service.server";
import { deleteActiveJobs, findActiveJob, insertJob, updateJob } from "./jobs.repo.server";
import type { JobActor } from "./jobs.schema";
import { JobProgress } from "./jobs.schema";

interface EnqueueOptions {
  /** Defaults to the system. */
  actor?: Actor;
  orgId?: string;
  /** User id for fair scheduling; defaults to the actor. */
  owner?: string;
  /** The id of a feature's record. */
  id?: string;
  /** Subject, such as `document:doc_…`. */
  subject?: string;
  /** Unique among unfinished jobs of the kind. */
  dedupeKey?: string;
  /** In ms since the epoch; defaults to now. */
  runAt?: number;
  /** Higher ones of the same owner run first. */
  priority?: number;
}

const SYSTEM: JobActor = { kind: "system", userId: "system", role: "owner" };

function jobActor({ kind, userId, role, tokenId, gateway, requestId, address }: Actor): JobActor {
  return {
    kind,
    userId,
    role,
    ...(tokenId ? { tokenId } : {}),
    ...(gateway ? { gateway } : {}),
    ...(requestId ? { requestId } : {}),
    ...(address ? { address } : {}),
  };
}

/**
 * Adds a job within a transaction, to start after the commit.
 * @returns its id, or the unfinished job's with the same dedupe key, due at the earlier time
 * @throws ZodError for invalid input, a bug
 */
export function enqueue<S extends z.ZodType>(
  tx: Db,
  kind: DeclaredJob<S>,
  input: z.input<S>,
  options: EnqueueOptions = {},
): string {
  const { actor, dedupeKey, subject, runAt, priority = 0 } = options;
  const at = now();
  const existing = dedupeKey === undefined ? undefined : findActiveJob(tx, kind.kind, dedupeKey);
  if (existing) {
    if (existing.state === "scheduled" && (runAt ?? at) < existing.runAt) {
      updateJob(tx, existing.id, ["scheduled"], { runAt: runAt ?? at });
      wakeDispatcher();
    }
    return existing.id;
  }
  kind.input.parse(input);
  const id = options.id ?? newId("job");
  const trace = traceToKeep();
  insertJob(tx, {
    id,
    orgId: options.orgId ?? actor?.orgId ?? null,
    kind: kind.kind,
    lane: kind.lane,
    owner: options.owner ?? actor?.userId ?? SYSTEM.userId,
    subject: subject ?? null,
    dedupeKey: dedupeKey ?? null,
    state: runAt !== undefined && runAt > at ? "scheduled" : "queued",
    priority,
    runAt: runAt ?? at,
    input,
    actor: { ...(actor ? jobActor(actor) : SYSTEM), ...(trace && { trace }) },
    createdAt: at,
  });
  wakeDispatcher();
  return id;
}

interface ActiveJob<Input> {
  id: string;
  isRunning: boolean;
  input: Input;
  createdAt: number;
  progress: JobProgress | null;
}

/** The unfinished job with a dedupe key. */
export function findActive<S extends z.ZodType>(
  tx: Db,
  { kind, input: schema }: DeclaredJob<S>,
  dedupeKey: string,
): ActiveJob<z.output<S>> | undefined {
  const job = findActiveJob(tx, kind, dedupeKey);
  if (!job) return undefined;
  const input = schema.safeParse(job.input);
  if (!input.success) return undefined;
  const { id, state, createdAt } = job;
  const progress = JobProgress.safeParse(job.progress).data ?? null;
  return { id, isRunning: state === "running", input: input.data, createdAt, progress };
}

/** Retention of canceled jobs, in ms. */
const CANCELLED_KEPT = 24 * 60 * 60_000;

/**
 * Cancels a job of the caller's own feature without its hook; the caller updates its record, and calls `abortJob` after
 * the commit.
 * @returns whether it was queued or running
 */
export function cancelJobWithin(tx: Db, id: string): boolean {
  const at = now();
  const ended = { state: "cancelled", error: null, finishedAt: at, keepUntil: at + CANCELLED_KEPT } as const;
  return updateJob(tx, id, ["scheduled", "queued", "waiting", "running"], ended);
}

/** Deletes active jobs of some kinds: after a restore, before the queue starts. */
export function forgetJobs(tx: Db, kinds: readonly Pick<DeclaredJob, "kind">[]): void {
  deleteActiveJobs(
    tx,
    kinds.map(({ kind }) => kind),
  );
}
