import { and, desc, eq, lt, or } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { comparisons } from "~db/schema";

export type ComparisonRow = typeof comparisons.$inferSelect;

interface Owner {
  orgId: string;
  userId: string;
}

/** Last item of the previous page. */
interface Cursor {
  createdAt: number;
  id: string;
}

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

export function listComparisonRows(tx: Db, owner: Owner, limit: number, after?: Cursor): ComparisonRow[] {
  const older = after
    ? or(
        lt(comparisons.createdAt, after.createdAt),
        and(eq(comparisons.createdAt, after.createdAt), lt(comparisons.id, after.id)),
      )
    : undefined;
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
