import { setImmediate as turn } from "node:timers/promises";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { UNDO_TIME } from "../deletion";
import { JobInput } from "./job";
import type { JobRow } from "./jobs.repo.server";
import type { JobContext } from "./queue.server";
import type { IngestSteps } from "./steps.server";
import { removeVersion } from "./unchanged.server";
import {
  type DocumentRow,
  deleteDocument,
  deleteOwnEmbeddings,
  findDocument,
  listVersions,
  type VersionRow,
} from "./versions.repo.server";

/** Versions of a document that stay readable. */
const VERSIONS_KEPT = 5;
const STRETCH = 50;

async function removeChunks(version: VersionRow, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined) {
    signal.throwIfAborted();
    const after: number = last;
    last = transaction((tx) => deleteOwnEmbeddings(tx, version.id, after, STRETCH));
    await turn();
  }
  await steps.removeVersionChunks(version.id);
}

async function purgeVersions(document: DocumentRow, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  const versions = listVersions(db(), document.id);
  for (const [index, version] of versions.entries()) {
    const gone = version.state === "replaced" || version.state === "failed";
    // The newest may be tried again.
    if (index === 0 || !gone || version.id === document.versionId) continue;
    await removeChunks(version, steps, signal);
    if (index >= VERSIONS_KEPT) await removeVersion(version.id, signal);
  }
}

async function purgeDocument(document: DocumentRow, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  for (const version of listVersions(db(), document.id)) {
    await removeChunks(version, steps, signal);
    await removeVersion(version.id, signal);
  }
  transaction((tx) => deleteDocument(tx, document.id));
}

/**
 * Removes for good: a deleted document whole, of another one what its newer versions have replaced. The points of one
 * that others see now are moved before.
 */
export async function runPurge(job: JobRow, steps: IngestSteps, { signal }: JobContext): Promise<void> {
  const document = job.documentId ? findDocument(db(), job.documentId) : undefined;
  if (!document) return;
  if (document.deletedAt === null) {
    if (JobInput.parse(job.input).moved) await steps.moveScope(document.id, signal);
    await purgeVersions(document, steps, signal);
  } else if (document.deletedAt <= now() - UNDO_TIME) await purgeDocument(document, steps, signal);
}
