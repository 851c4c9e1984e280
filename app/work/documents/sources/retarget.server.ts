import { z } from "zod";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { cancelJobWithin, enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { canBeReader } from "../access/document-readers.service.server";
import { changeDocument } from "../document-changes.service.server";
import { findDocumentRow, listReaders } from "../document-rows.repo.server";
import type { SourceFileRow, SourceRow } from "./sources.repo.server";
import * as repo from "./sources.repo.server";

/** Files after which the event loop has a turn. */
const BATCH = 50;

/** Who sees a source changed: interactive, since it applies to its documents before, and without, the next sync. */
export const retargetJob = declareJob({
  kind: "sources.retarget",
  input: z.object({ sourceId: z.string() }),
  lane: "interactive",
});

/**
 * Queues it as the person who changed the source, in place of one that began with the settings of before.
 * @returns the id of the canceled job, for `abortJob` after the commit
 */
export function planRetarget(tx: Db, actor: Actor, sourceId: string): string | undefined {
  const before = findActive(tx, retargetJob, sourceId);
  const isStopped = before && cancelJobWithin(tx, before.id);
  enqueue(tx, retargetJob, { sourceId }, { actor, subject: `source:${sourceId}`, dedupeKey: sourceId });
  return isStopped ? before.id : undefined;
}

/** Gives the documents that a source has its visibility and readers, as far as the actor sees them. */
export async function retarget(source: SourceRow, actor: Actor, signal: AbortSignal): Promise<void> {
  const { id, orgId, visibility } = source;
  const readers = source.readers.filter((reader) => canBeReader(db(), orgId, reader));
  await forEachFile(id, signal, async ({ documentId }) => {
    const document = documentId ? findDocumentRow(db(), documentId) : undefined;
    if (!document || document.deletedAt !== null) return;
    const isDone =
      document.visibility === visibility &&
      readers.toSorted().join() === listReaders(db(), document.id).toSorted().join();
    if (isDone) return;
    try {
      changeDocument(actor, document.id, { visibility, readers });
    } catch (error) {
      // Someone else's, or one that the actor doesn't see, such as one that they shared with others alone.
      if (!(error instanceof AppError && (error.code === "not_found" || error.code === "forbidden")))
        throw error;
    }
    await yieldToEventLoop();
  });
  signal.throwIfAborted();
  transaction((tx) => repo.updateSourceRow(tx, id, { isRetargeted: false }));
}

/** Visits the files of a source in the order of their paths. */
export async function forEachFile(
  sourceId: string,
  signal: AbortSignal,
  visit: (file: SourceFileRow) => void | Promise<void>,
): Promise<void> {
  let after = "";
  for (;;) {
    const files = repo.listFilesAfter(db(), sourceId, after, BATCH);
    for (const file of files) {
      signal.throwIfAborted();
      await visit(file);
    }
    const last = files.at(-1);
    if (!last) return;
    after = last.path;
    await yieldToEventLoop();
  }
}
