import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { listReaders, replaceReaders } from "../access/document-readers.repo.server";
import { canBeReader, requireReaders } from "../access/document-readers.service.server";
import { listCategoryRows } from "../categories/categories.repo.server";
import { categoryNamed } from "../categories/categories.service.server";
import { documentDetails } from "../document-audit";
import type { DocumentRow } from "../documents.repo.server";
import { insertDocument, nextOrderIndex } from "../documents-for-jobs.repo.server";
import { planRefreshes } from "../jobs/plan.server";
import { REFRESH_INTERVALS, type TargetInput } from "./ingest.schema";

export interface Accepted {
  documentId: string;
  jobId: string | undefined;
  /** The document already existed: it is retried, refreshed or left unchanged. */
  isExisting: boolean;
}

export interface IngestTarget {
  categoryId: string;
  visibility: "organisation" | "named";
  readers: string[];
  /** Refresh interval (ms); null for never. */
  refreshEvery: number | null;
}

/** @throws AppError `invalid` for an unknown category or reader */
export function resolveTarget(
  actor: Actor,
  { category, visibility, readers, refresh }: TargetInput,
): IngestTarget {
  const readerIds = visibility === "named" ? requireReaders(actor, readers) : [];
  const { id: categoryId } = categoryNamed(actor.orgId, category);
  return { categoryId, visibility, readers: readerIds, refreshEvery: REFRESH_INTERVALS[refresh] };
}

interface NewDocument {
  name: string;
  type: "text" | "url" | "file";
  source: string;
  batchId?: string | undefined;
}

/** Without a category or readers deleted since the request. */
function resolveCurrentTarget(tx: Db, orgId: string, target: IngestTarget): IngestTarget {
  const hasCategory = listCategoryRows(tx, orgId).some(({ id }) => id === target.categoryId);
  const categoryId = hasCategory ? target.categoryId : categoryNamed(orgId).id;
  return { ...target, categoryId, readers: target.readers.filter((id) => canBeReader(tx, orgId, id)) };
}

/** Creates a processing document with its audit entry. @returns its id */
export function addDocument(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  input: IngestTarget,
  document: NewDocument,
): string {
  const id = newId("doc");
  const { orgId, userId } = actor;
  const target = resolveCurrentTarget(tx, orgId, input);
  const refreshEvery = document.type === "url" ? target.refreshEvery : null;
  insertDocument(tx, {
    ...document,
    id,
    orgId,
    categoryId: target.categoryId,
    orderIndex: nextOrderIndex(tx, orgId, target.categoryId),
    status: "processing",
    visibility: target.visibility,
    refreshEvery,
    refreshAt: refreshEvery === null ? null : now() + refreshEvery,
    createdBy: userId,
    createdAt: now(),
    updatedAt: now(),
  });
  if (refreshEvery !== null) planRefreshes(tx);
  replaceReaders(tx, id, target.readers);
  const { name, type, source } = document;
  append(tx, actor, {
    action: "document.queued",
    resource: `document:${id}`,
    details: documentDetails(target, { filename: name, ...(source ? { source } : {}) }, { type }),
  });
  return id;
}

/** Whether everyone who may view the target can view the document. */
export function isVisibleToTarget(
  tx: Db,
  { id, visibility, createdBy }: DocumentRow,
  target: IngestTarget,
): boolean {
  if (visibility === "organisation") return true;
  if (target.visibility === "organisation") return false;
  const viewers = new Set([createdBy, ...listReaders(tx, id)]);
  return target.readers.every((reader) => viewers.has(reader));
}
