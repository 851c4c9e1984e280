import { and, asc, eq, ne } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { keyReferences } from "~db/schema";

export type KeyRow = typeof keyReferences.$inferSelect;

export function listKeyRows(db: Db, orgId: string): KeyRow[] {
  return db
    .select()
    .from(keyReferences)
    .where(eq(keyReferences.orgId, orgId))
    .orderBy(asc(keyReferences.createdAt), asc(keyReferences.id))
    .all();
}

export function findKeyRow(db: Db, orgId: string, id: string): KeyRow | undefined {
  return db
    .select()
    .from(keyReferences)
    .where(and(eq(keyReferences.orgId, orgId), eq(keyReferences.id, id)))
    .get();
}

export function insertKeyRow(db: Db, row: KeyRow): void {
  db.insert(keyReferences).values(row).run();
}

export function deleteKeyRow(db: Db, orgId: string, id: string): void {
  db.delete(keyReferences)
    .where(and(eq(keyReferences.orgId, orgId), eq(keyReferences.id, id)))
    .run();
}

/** Connection strings have no origin. */
export function setOriginOfAlias(db: Db, orgId: string, alias: string, origin: string): void {
  db.update(keyReferences)
    .set({ origin })
    .where(
      and(
        eq(keyReferences.orgId, orgId),
        eq(keyReferences.alias, alias),
        ne(keyReferences.provider, "database"),
      ),
    )
    .run();
}
