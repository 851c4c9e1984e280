import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { apiTokens, users } from "~db/schema";

export type TokenRow = typeof apiTokens.$inferSelect;

export function insertToken(tx: Db, row: TokenRow): void {
  tx.insert(apiTokens).values(row).run();
}

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

export function findToken(tx: Db, secretHash: string) {
  return bySecret(tx).get({ secretHash });
}

export function touchToken(tx: Db, id: string, lastUsedAt: number): void {
  tx.update(apiTokens).set({ lastUsedAt }).where(eq(apiTokens.id, id)).run();
}

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
  return tx
    .delete(apiTokens)
    .where(and(eq(apiTokens.userId, userId), eq(apiTokens.id, id)))
    .returning()
    .get();
}

/** @returns how many */
export function deleteTokensOf(tx: Db, userId: string, roles?: TokenRow["role"][]): number {
  return tx
    .delete(apiTokens)
    .where(and(eq(apiTokens.userId, userId), roles ? inArray(apiTokens.role, roles) : undefined))
    .run().changes;
}
