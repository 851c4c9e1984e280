import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { addJob } from "./accept.server";
import { retryOrRefresh } from "./accept-address.server";
import { listActiveJobs, takeFromBatch } from "./jobs.repo.server";
import { type DocumentRow, updateDocument, updateVersion, type VersionRow } from "./versions.repo.server";

/**
 * Has a document's newest version worked on again: an address is asked anew, of a file or text the stored bytes are
 * read. Whoever calls it calls `wakeQueue` after the commit.
 *
 * @returns the job's id, that of the one that waits or runs already if there is one
 * @throws AppError `conflict` where the bytes never came whole
 */
export function retryVersion(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  document: DocumentRow,
  version: VersionRow | undefined,
): string {
  const batchId = takeFromBatch(tx, document.id);
  if (document.type === "url") return retryOrRefresh(tx, actor, document, batchId);
  const active = listActiveJobs(tx, document.id).find(({ kind }) => kind !== "purge");
  if (active) return active.id;
  if (!version?.sha256) {
    throw new AppError(
      "conflict",
      "The file never came whole, so it can't be tried again. Upload it once more.",
    );
  }
  updateVersion(tx, version.id, { state: "received", error: null });
  updateDocument(tx, document.id, { status: "processing", error: null });
  return addJob(tx, actor, { kind: "ingest", documentId: document.id, versionId: version.id, batchId });
}
