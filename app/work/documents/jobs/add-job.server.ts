import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { type JobInput, requesterOf } from "./job";
import { jobTypeOf } from "./job-types.server";
import { insertJob, type JobRow } from "./jobs.repo.server";

interface NewJob {
  kind: JobRow["kind"];
  documentId?: string | null;
  versionId?: string | null;
  batchId?: string | undefined;
  /** Defaults to `queued`; a refused file's job has already ended. */
  state?: JobRow["state"];
  error?: string | undefined;
  input?: Partial<JobInput>;
}

/** Creates a job and queues it unless it has ended. @returns its id */
export function addJob(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  job: NewJob,
): string {
  const id = newId("job");
  const { state = "queued", input, error = null, ...rest } = job;
  const hasEnded = state !== "queued" && state !== "running";
  insertJob(tx, {
    ...rest,
    id,
    orgId: actor.orgId,
    userId: actor.userId,
    state,
    error,
    runAt: now(),
    input: { by: requesterOf(actor), ...input },
    createdAt: now(),
    finishedAt: hasEnded ? now() : null,
  });
  const { documentId, batchId } = job;
  const subject = documentId ? `document:${documentId}` : `batch:${batchId}`;
  const type = jobTypeOf({ kind: job.kind, input: input ?? {} });
  if (state === "queued") enqueue(tx, type, {}, { id, orgId: actor.orgId, owner: actor.userId, subject });
  return id;
}
