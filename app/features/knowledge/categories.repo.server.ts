import { and, asc, eq, max, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documentCategories, documents } from "~db/schema";

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

/** The place behind the last document of a category. */
export function nextOrderIndex(tx: Db, orgId: string, categoryId: string): number {
  const row = tx
    .select({ last: max(documents.orderIndex) })
    .from(documents)
    .where(and(eq(documents.orgId, orgId), eq(documents.categoryId, categoryId)))
    .get();
  return (row?.last ?? -1) + 1;
}

/** Puts every document of one category behind those of another, in their order; deleted and unseen ones too. */
export function moveAllDocuments(tx: Db, orgId: string, from: string, to: string): void {
  const base = nextOrderIndex(tx, orgId, to);
  tx.update(documents)
    .set({ categoryId: to, orderIndex: sql`${documents.orderIndex} + ${base}` })
    .where(and(eq(documents.orgId, orgId), eq(documents.categoryId, from)))
    .run();
}
