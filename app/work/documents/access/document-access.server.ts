import type { Actor } from "~/core/actor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type Changes, changesOf } from "~/platform/audit/audit.service.server";
import { atLeast, may } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { editsFolder } from "../document-rows.repo.server";
import { type DocumentRow, findDocument, hasFailed, type ListedRow } from "../documents.repo.server";

/** @throws AppError `not_found`, also for a document the actor can't view */
export function requireDocument(tx: Db, actor: Actor, id: string): ListedRow {
  const row = findDocument(tx, actor, id);
  if (!row) throw new AppError("not_found", "Document not found. It was deleted, or you don't have access.");
  return row;
}

/** Whether the actor may manage others' documents too, as far as they can view them. */
export const managesOthers = ({ role }: Pick<Actor, "role">): boolean => atLeast(role, "admin");

type Writer = Pick<Actor, "userId" | "role" | "scopes">;
type Owned = Pick<DocumentRow, "createdBy" | "folderId">;

/** A project's files are managed by its owner and editors, whatever their role here. */
export function mayManage(actor: Writer, { createdBy, folderId }: Owned): boolean {
  if (!may(actor, "documents.write")) return false;
  if (folderId !== null) return editsFolder(db(), folderId, actor.userId);
  return createdBy === actor.userId || managesOthers(actor);
}

/** @throws AppError `forbidden` */
export function assertManages(actor: Writer, row: Owned): void {
  if (mayManage(actor, row)) return;
  const who =
    row.folderId === null
      ? "the person who added the document, or an admin,"
      : "the project's owner and its editors";
  throw new AppError("forbidden", `Only ${who} can do this.`);
}

/** For what any writer may do with a document that they see, but not viewers of a project. @throws AppError `forbidden` */
export function assertMayChange(actor: Writer, row: Owned): void {
  if (row.folderId !== null) assertManages(actor, row);
}

/** Whether the actor may retry it: any writer for a failed document, otherwise those who manage it. */
export function mayRetry(actor: Writer, row: Owned & Pick<DocumentRow, "status" | "error">): boolean {
  if (mayManage(actor, row)) return true;
  return row.folderId === null && hasFailed(row) && may(actor, "documents.write");
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
