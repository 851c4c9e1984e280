import { and, count, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { kvEntries } from "~db/schema";

export type KvRow = typeof kvEntries.$inferSelect;

export function findKvRow(db: Db, orgId: string, key: string): KvRow | undefined {
  return db
    .select()
    .from(kvEntries)
    .where(and(eq(kvEntries.orgId, orgId), eq(kvEntries.key, key)))
    .get();
}

export function countKvRows(db: Db, orgId: string): number {
  return db.select({ n: count() }).from(kvEntries).where(eq(kvEntries.orgId, orgId)).get()?.n ?? 0;
}

export function writeKvRow(db: Db, row: KvRow): void {
  const { value, updatedBy, updatedAt } = row;
  db.insert(kvEntries)
    .values(row)
    .onConflictDoUpdate({ target: [kvEntries.orgId, kvEntries.key], set: { value, updatedBy, updatedAt } })
    .run();
}
