import { expect, vi } from "vitest";
import { rawDatabase } from "~/core/db.server";

const busy = () =>
  rawDatabase().prepare("SELECT kind, state FROM ingest_jobs WHERE state IN ('queued', 'running')").all();

/** Waits until no job waits or runs. */
export const whenIdle = (timeout = 20_000) => vi.waitFor(() => expect(busy()).toEqual([]), timeout);

/** The bytes of a version as they came. */
export const storedBytes = (versionId: string): Buffer =>
  Buffer.concat(
    rawDatabase()
      .prepare("SELECT bytes FROM document_parts WHERE version_id = ? ORDER BY position")
      .pluck()
      .all(versionId) as Buffer[],
  );
