import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { addJob } from "./accept.server";
import { retryOrRefresh } from "./accept-address.server";
import { lastBrokenJob, listActiveJobs, takeFromBatch } from "./jobs.repo.server";
import {
  type DocumentRow,
  findVersion,
  listVersions,
  updateDocument,
  updateVersion,
  type VersionRow,
} from "./versions.repo.server";

type Asker = Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">;

/**
 * The version that trying again would work on: that of the job that failed or was cancelled last, never the one that is
 * searched. Of an address it is one that was searched before; anything else it says is asked for anew.
 */
export function versionToRetry(tx: Db, document: DocumentRow): VersionRow | undefined {
  const broken = lastBrokenJob(tx, document.id);
  const tried = broken?.versionId ? findVersion(tx, broken.versionId) : undefined;
  const version = broken ? tried : listVersions(tx, document.id).find(({ state }) => state === "failed");
  return version?.id === document.versionId ? undefined : version;
}

/**
 * Has what failed of a document worked on again.
 *
 * @param batchId as of `workAgain`
 * @returns the job's id
 */
export function retryVersion(tx: Db, actor: Asker, document: DocumentRow, batchId?: string): string {
  const version = document.status === "ready" ? undefined : versionToRetry(tx, document);
  return workAgain(tx, actor, document, version, batchId);
}

/**
 * Has a version worked on again: an address is asked anew, of a file or text the stored bytes are read.
 *
 * @param ofBatch where the job stands; without it in place of the one that failed, in that one's batch
 * @returns the job's id, that of the one that waits or runs already if there is one
 * @throws AppError `conflict` where the bytes never came whole, were too many or none
 */
export function workAgain(
  tx: Db,
  actor: Asker,
  document: DocumentRow,
  version: VersionRow | undefined,
  ofBatch?: string,
): string {
  const batchId = ofBatch ?? takeFromBatch(tx, document.id);
  const searchedBefore = version?.servedAt != null;
  if (document.type === "url" && !searchedBefore) return retryOrRefresh(tx, actor, document, batchId);
  const active = listActiveJobs(tx, document.id).find(({ kind }) => kind !== "purge");
  if (active) return active.id;
  if (!version?.sha256) {
    throw new AppError(
      "conflict",
      "The upload was incomplete, so there is nothing to retry. Upload it again.",
    );
  }
  // One that was searched before has been read.
  updateVersion(tx, version.id, { state: searchedBefore ? "read" : "received", error: null });
  updateDocument(tx, document.id, { status: "processing", error: null });
  return addJob(tx, actor, { kind: "ingest", documentId: document.id, versionId: version.id, batchId });
}
