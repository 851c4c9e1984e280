import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type Changes, changesOf } from "~/platform/audit/audit.service.server";
import { atLeast, may } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { type DocumentRow, findDocument, hasFailed, type ListedRow } from "../documents.repo.server";

/** @throws AppError `not_found`, also for a document the actor can't view */
export function requireDocument(tx: Db, actor: Actor, id: string): ListedRow {
  const row = findDocument(tx, actor, id);
  if (!row) throw new AppError("not_found", "Document not found. It was deleted, or you don't have access.");
  return row;
}

/** Whether the actor may manage others' documents too, as far as they can view them. */
export const managesOthers = ({ role }: Pick<Actor, "role">): boolean => atLeast(role, "admin");

export function mayManage(
  actor: Pick<Actor, "userId" | "role" | "scopes">,
  row: Pick<DocumentRow, "createdBy">,
): boolean {
  return may(actor, "documents.write") && (row.createdBy === actor.userId || managesOthers(actor));
}

/** @throws AppError `forbidden` */
export function assertManages(actor: Actor, row: Pick<DocumentRow, "createdBy">): void {
  if (mayManage(actor, row)) return;
  throw new AppError("forbidden", "Only the person who added the document, or an admin, can do this.");
}

/** Whether the actor may retry it: any writer for a failed document, otherwise those who manage it. */
export function mayRetry(
  actor: Pick<Actor, "userId" | "role" | "scopes">,
  row: Pick<DocumentRow, "createdBy" | "status" | "error">,
): boolean {
  return mayManage(actor, row) || (hasFailed(row) && may(actor, "documents.write"));
}

/**
 * Audit details of a document. Admins read the whole trail, so entries of restricted documents have no
 * name, category or size.
 */
export function documentDetails<About extends object, Change extends object = object>(
  { visibility }: Pick<DocumentRow, "visibility">,
  about: About,
  change: Change = {} as Change,
): Partial<About> & Change {
  const visible: Partial<About> = visibility === "named" ? {} : about;
  return { ...visible, ...change };
}

type Shown = Pick<DocumentRow, "name" | "visibility" | "refreshEvery"> & { category: string };

export function documentChanges(before: Shown, after: Shown): Changes {
  const { visibility, refreshEvery, name, category } = after;
  const isRestricted = before.visibility === "named" || visibility === "named";
  return changesOf({}, before, { visibility, refreshEvery, ...(isRestricted ? {} : { name, category }) });
}

/** @throws AppError `conflict` if the settings switch documents off */
export function assertRagEnabled(orgId: string): void {
  if (readSettings(orgId, "rag").ragEnabled) return;
  throw new AppError(
    "conflict",
    "RAG is turned off. Turn it on in RAG & Embedding Settings to add documents.",
  );
}
