import { and, asc, count, desc, eq, exists, lt, not, sql } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { comparisons, conversations, messages } from "~db/schema";

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

/** Created before a time, and without a running answer. */
function isExpired(tx: Db, orgId: string, before: number) {
  const running = tx
    .select({ id: messages.id })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(and(eq(conversations.comparisonId, comparisons.id), eq(messages.status, "streaming")));
  return and(eq(comparisons.orgId, orgId), lt(comparisons.createdAt, before), not(exists(running)));
}

/** Oldest first. */
export const listExpiredRows = (tx: Db, orgId: string, before: number, limit: number): ComparisonRow[] =>
  tx
    .select()
    .from(comparisons)
    .where(isExpired(tx, orgId, before))
    .orderBy(asc(comparisons.createdAt))
    .limit(limit)
    .all();

export const countExpiredRows = (tx: Db, orgId: string, before: number): number =>
  tx
    .select({ n: count() })
    .from(comparisons)
    .where(isExpired(tx, orgId, before))
    .get()?.n ?? 0;
