import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { type DeclaredJob, declareJob } from "~/platform/jobs/job-kind.service.server";
import { type JobInput, requesterOf } from "./job";
import { insertJob, type JobRow } from "./jobs.repo.server";

const NoInput = z.object({});

export const ingestion = declareJob({ kind: "documents.ingest", input: NoInput, lane: "interactive" });
export const sitemap = declareJob({ kind: "documents.sitemap", input: NoInput, lane: "interactive" });
/** Name or readers changed: interactive, since a user expects the effect at once. */
export const update = declareJob({ kind: "documents.update", input: NoInput, lane: "interactive" });
export const purge = declareJob({ kind: "documents.purge", input: NoInput, lane: "maintenance" });

function jobKindOf({ kind, input = {} }: NewJob): DeclaredJob<typeof NoInput> {
  if (kind === "sitemap") return sitemap;
  if (kind === "purge") return input.moved || input.renamed ? update : purge;
  return ingestion;
}

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
  if (state === "queued")
    enqueue(tx, jobKindOf(job), {}, { id, orgId: actor.orgId, owner: actor.userId, subject });
  return id;
}
