import { z } from "zod";
import { type Db, db, transaction } from "~/core/db.server";
import { forgetFiles } from "~/platform/files/files.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { deleteUnsent, findReferencedBlobs } from "./attachments.repo.server";
import { listBlobs, removeAbandonedUploads, removeBlobs, storedPath } from "./blobs.server";

/** How long an unsent upload is kept, in ms. */
const UNSENT_RETENTION = 24 * 60 * 60_000;
const BATCH = 200;

/** Deletes unreferenced files. Synchronous, so that none is stored in between. */
export function removeUnused(shas: readonly string[]): void {
  const used = findReferencedBlobs(db(), shas);
  const unused = shas.filter((sha) => !used.has(sha));
  if (unused.length === 0) return;
  transaction((tx) => forgetFiles(tx, unused.map(storedPath)));
  removeBlobs(unused);
}

/** Deletes unsent and interrupted uploads and orphaned files. */
export async function sweepAttachments(signal: AbortSignal): Promise<void> {
  transaction((tx) => deleteUnsent(tx, oldestKept(UNSENT_RETENTION)));
  await removeAbandonedUploads();
  const shas = await listBlobs();
  for (let from = 0; from < shas.length && !signal.aborted; from += BATCH) {
    removeUnused(shas.slice(from, from + BATCH));
    await new Promise(setImmediate);
  }
}

export const attachmentSweep = declareJob({
  kind: "attachments.sweep",
  input: z.object({}),
  lane: "maintenance",
});

/** Deletes orphaned files after the transaction that deletes attachments, such as a conversation's. */
export function sweepAfterCommit(tx: Db): void {
  enqueue(tx, attachmentSweep, {}, { dedupeKey: "sweep" });
}
