import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { DocumentRow } from "../documents/documents.repo.server";
import { recordRetry } from "../documents/jobs/record-retry.server";
import { retryVersion } from "../documents/jobs/retry.server";
import { listVisibleByContent, type VersionRow } from "../documents/versions/versions.repo.server";
import type { Place } from "./accept.server";
import { isAsVisible } from "./as-visible.server";
import { UNCHANGED } from "./unchanged.server";

interface Recognised {
  document: DocumentRow;
  /** The job that works on it, if one does. */
  jobId: string | undefined;
  /** It had failed, and is worked on again because of this. */
  retried: boolean;
}

interface Content {
  sha256: string;
  exceptId?: string;
  /** Where the job stands that works again on what had failed; else in the batch of the one that failed. */
  batchId?: string;
}

/** Whether a document has it though that isn't searched: a newer version that failed, while an older one was kept. */
function isGivenUp(document: DocumentRow, version: VersionRow): boolean {
  if (document.status !== "ready" || document.versionId === version.id) return false;
  return version.state === "failed" && version.error !== UNCHANGED;
}

/**
 * The document that says the same already and is seen by all who are to see it; if reading it failed, it is worked on
 * again.
 */
export function recogniseContent(
  tx: Db,
  actor: Actor,
  place: Place,
  { sha256, exceptId, batchId }: Content,
): Recognised | undefined {
  const found = listVisibleByContent(tx, actor, sha256, exceptId).find(
    ({ document, version }) => !isGivenUp(document, version) && isAsVisible(tx, document, place),
  );
  if (!found) return undefined;
  const { document, version } = found;
  // Its current version's content, independent of a newer version's result.
  const searched = document.versionId === version.id;
  if (document.status === "ready" || searched) return { document, jobId: undefined, retried: false };
  recordRetry(tx, actor, document);
  const retried = document.status === "failed";
  return { document, jobId: retryVersion(tx, actor, document, retried ? batchId : undefined), retried };
}
