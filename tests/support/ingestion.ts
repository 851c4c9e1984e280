import { expect } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { followDocumentJobs, ingestionJobs } from "~/work/documents/documents.jobs.server";
import { type IngestSteps, ingestSteps } from "~/work/documents/ingestion/context.server";

export function startIngestion(steps: IngestSteps = ingestSteps): () => Promise<void> {
  const stopFollowing = followDocumentJobs();
  const stopJobs = startJobs(ingestionJobs(steps));
  return async () => {
    await stopJobs();
    stopFollowing();
  };
}

const busy = () =>
  rawDatabase()
    .prepare(
      "SELECT kind, state FROM jobs WHERE subject IS NOT NULL AND (state IN ('queued', 'running') OR state = 'scheduled' AND attempts > 0)",
    )
    .all();

/** Waits for an empty queue. */
export const whenIdle = () => expect.poll(() => busy()).toEqual([]);

export const storedBytes = (versionId: string): Buffer =>
  Buffer.concat(
    rawDatabase()
      .prepare("SELECT bytes FROM document_parts WHERE version_id = ? ORDER BY position")
      .pluck()
      .all(versionId) as Buffer[],
  );
