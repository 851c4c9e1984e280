import { and, asc, count, eq, max, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { documentCategories, documents } from "~db/schema";

const slot = sql.placeholder;

/** Between the places of two documents that came one after the other: sixteen fit between before any has to move. */
export const GAP = 65_536;

export type CategoryRow = typeof documentCategories.$inferSelect;

/** In the order the screen shows them. */
export function listCategoryRows(tx: Db, orgId: string): CategoryRow[] {
  return tx
    .select()
    .from(documentCategories)
    .where(eq(documentCategories.orgId, orgId))
    .orderBy(asc(documentCategories.position), asc(documentCategories.id))
    .all();
}

export function insertCategories(tx: Db, rows: CategoryRow[]): void {
  tx.insert(documentCategories).values(rows).run();
}

export function renameCategoryRow(tx: Db, orgId: string, id: string, name: string): void {
  tx.update(documentCategories)
    .set({ name })
    .where(and(eq(documentCategories.orgId, orgId), eq(documentCategories.id, id)))
    .run();
}

export function deleteCategoryRow(tx: Db, orgId: string, id: string): void {
  tx.delete(documentCategories)
    .where(and(eq(documentCategories.orgId, orgId), eq(documentCategories.id, id)))
    .run();
}

/** Notes that a category is deleted: its documents leave it, and then it goes. */
export function setLeaving(tx: Db, orgId: string, id: string): void {
  tx.update(documentCategories)
    .set({ leaving: true })
    .where(and(eq(documentCategories.orgId, orgId), eq(documentCategories.id, id)))
    .run();
}

/** The deleted categories whose documents are still on their way, of every organisation. */
export function listLeaving(tx: Db): CategoryRow[] {
  return tx.select().from(documentCategories).where(eq(documentCategories.leaving, true)).all();
}

const last = prepared((db) =>
  db
    .select({ last: max(documents.orderIndex) })
    .from(documents)
    .where(and(eq(documents.orgId, slot("orgId")), eq(documents.categoryId, slot("categoryId"))))
    .prepare(),
);

/** The place behind the last document of a category. */
export function nextOrderIndex(tx: Db, orgId: string, categoryId: string): number {
  return (last(tx).get({ orgId, categoryId })?.last ?? 0) + GAP;
}

/** How many documents a category has; deleted and unseen ones too. */
export function countAllDocuments(tx: Db, categoryId: string): number {
  return tx.select({ n: count() }).from(documents).where(eq(documents.categoryId, categoryId)).get()?.n ?? 0;
}

const move = prepared((db) =>
  db
    .update(documents)
    .set({ categoryId: sql`${slot("to")}`, orderIndex: sql`${slot("orderIndex")}` })
    .where(and(eq(documents.id, slot("id")), eq(documents.categoryId, slot("from"))))
    .prepare(),
);

/** Puts a document behind those of another category, if it still is in this one. */
export function moveToCategory(tx: Db, orgId: string, id: string, from: string, to: string): void {
  move(tx).run({ id, from, to, orderIndex: nextOrderIndex(tx, orgId, to) });
}
