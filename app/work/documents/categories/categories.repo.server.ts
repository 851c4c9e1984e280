import { and, asc, eq, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { documentCategories } from "~db/schema";

export type CategoryRow = typeof documentCategories.$inferSelect;

const all = prepared((db) =>
  db
    .select()
    .from(documentCategories)
    .where(eq(documentCategories.orgId, sql.placeholder("orgId")))
    .orderBy(asc(documentCategories.position), asc(documentCategories.id))
    .prepare(),
);

export function listCategoryRows(tx: Db, orgId: string): CategoryRow[] {
  return all(tx).all({ orgId });
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
