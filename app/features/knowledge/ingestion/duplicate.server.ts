import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { Place } from "./accept.server";
import { isAsVisible } from "./as-visible.server";
import { recordRetry } from "./record-retry.server";
import { retryVersion } from "./retry.server";
import { type DocumentRow, listSeenByContent } from "./versions.repo.server";

/**
 * The document that says the same already and is seen by all who are to see it; if reading it failed, it is worked on
 * again. Whoever calls it calls `wakeQueue` after the commit.
 *
 * @returns the document and the job that works on it, if one does
 */
export function recogniseContent(
  tx: Db,
  actor: Actor,
  place: Place,
  { sha256, exceptId }: { sha256: string; exceptId?: string },
): { document: DocumentRow; jobId: string | undefined } | undefined {
  const found = listSeenByContent(tx, actor, sha256, exceptId).find(({ document }) =>
    isAsVisible(tx, document, place),
  );
  if (!found) return undefined;
  const { document, version } = found;
  // What it says is searched, whatever became of a newer version.
  const searched = document.versionId === version.id;
  if (document.status === "ready" || searched) return { document, jobId: undefined };
  recordRetry(tx, actor, document);
  return { document, jobId: retryVersion(tx, actor, document) };
}
