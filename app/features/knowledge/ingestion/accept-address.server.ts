import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { mayWorkOn } from "../documents/access/document-access.server";
import { listActiveJobs } from "../documents/jobs/jobs.repo.server";
import { recordRetry } from "../documents/jobs/record-retry.server";
import {
  type DocumentRow,
  listSeenBySource,
  updateDocument,
} from "../documents/versions/versions.repo.server";
import { addDocument, addJob, addVersion, type Place } from "./accept.server";
import { isAsVisible } from "./as-visible.server";
import { addressTitle } from "./names";

type Asker = Pick<Actor, "orgId" | "userId" | "role" | "scopes" | "tokenId" | "requestId">;

export interface AcceptedAddress {
  documentId: string;
  name: string;
  jobId: string;
  /** It was there already: it is read again, or left alone where the actor may not decide that. */
  known: boolean;
}

/** Queues another reading of a document's address, unless one waits or runs already. @returns the job's id */
function queueRefresh(
  tx: Db,
  actor: Omit<Asker, "role" | "scopes">,
  documentId: string,
  batchId?: string,
): string {
  const active = listActiveJobs(tx, documentId).find(({ kind }) => kind !== "purge");
  if (active) return active.id;
  return addJob(tx, actor, { kind: "refresh", documentId, batchId });
}

/**
 * Queues an address. An existing document of the same address is reused if all intended readers see it; otherwise
 * another one is added.
 */
export function acceptAddress(
  tx: Db,
  actor: Asker,
  place: Place,
  { url, title, batchId }: { url: string; title?: string | undefined; batchId?: string | undefined },
): AcceptedAddress {
  const found = listSeenBySource(tx, actor, url).find((document) => isAsVisible(tx, document, place));
  if (found) {
    const { id: documentId, name } = found;
    if (!mayWorkOn(actor, found)) {
      const jobId = addJob(tx, actor, {
        kind: "refresh",
        state: "done",
        documentId,
        batchId,
        input: { outcome: "duplicate" },
      });
      return { documentId, name, jobId, known: true };
    }
    recordRetry(tx, actor, found);
    return { documentId, name, jobId: retryOrRefresh(tx, actor, found, batchId), known: true };
  }
  const name = title ?? addressTitle(url);
  const documentId = addDocument(tx, actor, place, { name, type: "url", source: url });
  const versionId = addVersion(tx, documentId, { state: "receiving", createdBy: actor.userId });
  const jobId = addJob(tx, actor, { kind: "ingest", documentId, versionId, batchId });
  return { documentId, name, jobId, known: false };
}

/** An address whose document was never read becomes processing again; one that is served stays so in the meantime. */
export function retryOrRefresh(
  tx: Db,
  actor: Omit<Asker, "role" | "scopes">,
  document: DocumentRow,
  batchId?: string,
): string {
  const jobId = queueRefresh(tx, actor, document.id, batchId);
  if (!document.versionId) updateDocument(tx, document.id, { status: "processing", error: null });
  return jobId;
}
