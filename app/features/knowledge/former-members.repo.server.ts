import { and, count, eq, isNull, ne, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, users } from "~db/schema";

const named = (orgId: string) =>
  and(eq(documents.orgId, orgId), eq(documents.visibility, "named"), isNull(documents.deletedAt));

/** For a thread that reads: id, name and number of documents of everybody who left some of named members. */
export function leftQuery(tx: Db, orgId: string) {
  return tx
    .select({
      id: users.id,
      name: sql`coalesce(nullif(trim(coalesce(${users.firstName}, '') || ' ' || coalesce(${users.lastName}, '')), ''), ${users.email}, 'A former member')`,
      documents: count(),
    })
    .from(documents)
    .innerJoin(users, eq(users.id, documents.createdBy))
    .where(and(named(orgId), eq(users.status, "removed")))
    .groupBy(users.id)
    .orderBy(users.id)
    .toSQL();
}

/** For a thread that reads: the ids of somebody's documents of named members. */
export function ownNamedQuery(tx: Db, orgId: string, userId: string) {
  return tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(named(orgId), eq(documents.createdBy, userId)))
    .toSQL();
}

/** Gives a document of named members another creator, if it still is its present one's. @returns whether it was */
export function changeCreator(
  tx: Db,
  { orgId, id, from, to }: { orgId: string; id: string; from: string; to: string },
): boolean {
  const own = and(
    named(orgId),
    eq(documents.id, id),
    eq(documents.createdBy, from),
    ne(documents.createdBy, to),
  );
  return tx.update(documents).set({ createdBy: to }).where(own).run().changes > 0;
}

/** Takes a document of named members out of sight, if it still is its creator's. @returns whether it was */
export function hideNamed(
  tx: Db,
  { orgId, id, from, at }: { orgId: string; id: string; from: string; at: number },
): boolean {
  const own = and(named(orgId), eq(documents.id, id), eq(documents.createdBy, from));
  return tx.update(documents).set({ deletedAt: at }).where(own).run().changes > 0;
}
