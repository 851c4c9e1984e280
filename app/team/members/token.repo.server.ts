import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert, preparedUpdate } from "~/core/db.server";
import { apiTokens, users } from "~db/schema";

export type TokenRow = typeof apiTokens.$inferSelect;

export const insertToken = preparedInsert(apiTokens);
export const updateToken = preparedUpdate(apiTokens, "id");

// SQLite plans a join again for each value that its planner may look at (ENABLE_STAT4), which takes ten times as long as
// the join; a value behind a plus it doesn't look at.
const bySecret = prepared((db) =>
  db
    .select({ token: apiTokens, ownerRole: users.role, ownerStatus: users.status })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .where(eq(apiTokens.secretHash, sql`+${sql.placeholder("secretHash")}`))
    .prepare(),
);

export const findToken = (tx: Db, secretHash: string) => bySecret(tx).get({ secretHash });

export function listTokensOf(tx: Db, userId: string): TokenRow[] {
  return tx
    .select()
    .from(apiTokens)
    .where(eq(apiTokens.userId, userId))
    .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
    .all();
}

export function countTokensOf(tx: Db, userId: string): number {
  return tx.select({ n: count() }).from(apiTokens).where(eq(apiTokens.userId, userId)).get()?.n ?? 0;
}

export function deleteToken(tx: Db, userId: string, id: string): TokenRow | undefined {
  const own = and(eq(apiTokens.userId, userId), eq(apiTokens.id, id));
  return tx.delete(apiTokens).where(own).returning().get();
}

export function deleteTokensOf(tx: Db, userId: string, roles?: TokenRow["role"][]): void {
  const ofRoles = roles ? inArray(apiTokens.role, roles) : undefined;
  tx.delete(apiTokens)
    .where(and(eq(apiTokens.userId, userId), ofRoles))
    .run();
}
