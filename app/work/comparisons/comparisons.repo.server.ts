import { and, desc, eq, sql } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { comparisons } from "~db/schema";

export type ComparisonRow = typeof comparisons.$inferSelect;

type Owner = Pick<Actor, "orgId" | "userId">;

const ofOwner = ({ orgId, userId }: Owner) =>
  and(eq(comparisons.orgId, orgId), eq(comparisons.userId, userId));

export function insertComparison(tx: Db, row: ComparisonRow): void {
  tx.insert(comparisons).values(row).run();
}

export function findComparison(tx: Db, owner: Owner, id: string): ComparisonRow | undefined {
  return tx
    .select()
    .from(comparisons)
    .where(and(ofOwner(owner), eq(comparisons.id, id)))
    .get();
}

/** @param after the last row of the previous page */
export function listComparisonRows(
  tx: Db,
  owner: Owner,
  limit: number,
  after?: Pick<ComparisonRow, "createdAt" | "id">,
): ComparisonRow[] {
  const older =
    after && sql`(${comparisons.createdAt}, ${comparisons.id}) < (${after.createdAt}, ${after.id})`;
  return tx
    .select()
    .from(comparisons)
    .where(and(ofOwner(owner), older))
    .orderBy(desc(comparisons.createdAt), desc(comparisons.id))
    .limit(limit)
    .all();
}

export function deleteComparisonRow(tx: Db, owner: Owner, id: string): ComparisonRow | undefined {
  return tx
    .delete(comparisons)
    .where(and(ofOwner(owner), eq(comparisons.id, id)))
    .returning()
    .get();
}
