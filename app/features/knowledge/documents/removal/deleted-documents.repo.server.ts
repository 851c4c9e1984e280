import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents } from "~db/schema";

type DocumentRow = typeof documents.$inferSelect;

/** Deleted and not purged yet, regardless of who had access. */
export function findDeletedRow(tx: Db, orgId: string, id: string): DocumentRow | undefined {
  return tx
    .select()
    .from(documents)
    .where(and(eq(documents.orgId, orgId), eq(documents.id, id), isNotNull(documents.deletedAt)))
    .get();
}

/** Deleted at one time and not purged yet, regardless of who had access. */
export function listDeletedAt(tx: Db, orgId: string, deletedAt: number): DocumentRow[] {
  return tx
    .select()
    .from(documents)
    .where(and(eq(documents.deletedAt, deletedAt), sql`+${documents.orgId} = ${orgId}`))
    .all();
}
