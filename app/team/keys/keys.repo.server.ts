import { and, asc, eq, ne } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedInsert } from "~/core/db.server";
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

export const findKeyRow = preparedFind(keyReferences, "orgId", "id");
export const insertKeyRow = preparedInsert(keyReferences);
export const deleteKeyRow = preparedDelete(keyReferences, "orgId", "id");

/** Connection strings have no origin. */
export function setOriginOfAlias(db: Db, orgId: string, alias: string, origin: string): void {
  const { alias: name, orgId: organisation, provider } = keyReferences;
  db.update(keyReferences)
    .set({ origin })
    .where(and(eq(organisation, orgId), eq(name, alias), ne(provider, "database")))
    .run();
}
