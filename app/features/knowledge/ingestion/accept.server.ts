import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { append } from "~/features/audit/audit.service.server";
import { replaceReaders } from "../documents/access/document-readers.repo.server";
import { isReaderStill, knownReaders } from "../documents/access/document-readers.service.server";
import { listCategoryRows } from "../documents/categories/categories.repo.server";
import { categoryNamed } from "../documents/categories/categories.service.server";
import { documentDetails } from "../documents/document-audit";
import { insertDocument, nextOrderIndex } from "../documents/documents-for-jobs.repo.server";
import { planRefreshes } from "../documents/jobs/plan.server";
import { type Placing, REFRESH_INTERVALS } from "./ingest.schema";

/** Resolved category and readers. */
export interface Place {
  categoryId: string;
  visibility: "organisation" | "named";
  readers: string[];
  /** Refresh interval (ms); null for never. */
  refreshEvery: number | null;
}

/** @throws AppError `invalid` for a category or a reader that isn't there */
export function resolvePlace(actor: Actor, { category, visibility, readers, refresh }: Placing): Place {
  const known = visibility === "named" ? knownReaders(actor, readers) : [];
  const { id: categoryId } = categoryNamed(actor.orgId, category);
  return { categoryId, visibility, readers: known, refreshEvery: REFRESH_INTERVALS[refresh] };
}

interface NewDocument {
  name: string;
  type: "text" | "url" | "file";
  source: string;
}

/** The category or readers may have been deleted since. */
function asItIs(tx: Db, orgId: string, place: Place): Place {
  const there = listCategoryRows(tx, orgId).some(({ id, leaving }) => !leaving && id === place.categoryId);
  const categoryId = there ? place.categoryId : categoryNamed(orgId).id;
  return { ...place, categoryId, readers: place.readers.filter((id) => isReaderStill(tx, orgId, id)) };
}

/** Creates a processing document with its audit entry. @returns its id */
export function addDocument(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  wanted: Place,
  document: NewDocument,
): string {
  const id = newId("doc");
  const { orgId, userId } = actor;
  const place = asItIs(tx, orgId, wanted);
  const refreshEvery = document.type === "url" ? place.refreshEvery : null;
  insertDocument(tx, {
    ...document,
    id,
    orgId,
    categoryId: place.categoryId,
    orderIndex: nextOrderIndex(tx, orgId, place.categoryId),
    status: "processing",
    visibility: place.visibility,
    refreshEvery,
    refreshAt: refreshEvery === null ? null : now() + refreshEvery,
    createdBy: userId,
    createdAt: now(),
    updatedAt: now(),
  });
  if (refreshEvery !== null) planRefreshes(tx);
  replaceReaders(tx, id, place.readers);
  const { name, type, source } = document;
  append(tx, actor, {
    action: "document.queued",
    resource: `document:${id}`,
    details: documentDetails(place, { filename: name, ...(source ? { source } : {}) }, { type }),
  });
  return id;
}
