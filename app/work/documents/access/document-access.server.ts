import { type Actor, atLeast } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { may } from "~/platform/rights/authorization.server";
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
