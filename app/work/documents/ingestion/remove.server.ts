import { db, runInBatches, transaction } from "~/core/db.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import {
  countParts,
  countTexts,
  deletePartsBefore,
  deleteText,
} from "../versions/document-parts.repo.server";
import { deleteVersion, findVersion } from "../versions/versions.repo.server";

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

export async function removeParts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countParts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deletePartsBefore(tx, versionId, position + 1), {
    signal,
    durable: false,
  });
}

export async function removeTexts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countTexts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deleteText(tx, versionId, position), {
    signal,
    durable: false,
  });
}

/** Removes an inactive version whose chunks are already removed. */
export async function removeVersion(versionId: string, signal?: AbortSignal): Promise<void> {
  const version = findVersion(db(), versionId);
  const document = version && findDocumentForJob(db(), version.documentId);
  if (document?.versionId === versionId && document.deletedAt === null)
    throw new Error(`Version ${versionId} is current and can't be removed.`);
  await removeTexts(versionId, signal);
  await removeParts(versionId, signal);
  transaction((tx) => deleteVersion(tx, versionId));
}
