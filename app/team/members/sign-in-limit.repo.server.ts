import { eq, lt, sql } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedHas } from "~/core/db.server";
import { knownAddresses, signInFailures } from "~db/schema";

export const findFailures = preparedFind(signInFailures, "subject");
export const deleteFailures = preparedDelete(signInFailures, "subject");

export function saveFailures(tx: Db, row: typeof signInFailures.$inferSelect): void {
  const { subject: _, ...change } = row;
  tx.insert(signInFailures)
    .values(row)
    .onConflictDoUpdate({ target: signInFailures.subject, set: change })
    .run();
}

export function forgiveFailure(tx: Db, subject: string): void {
  tx.update(signInFailures)
    .set({ failures: sql`max(0, ${signInFailures.failures} - 1)` })
    .where(eq(signInFailures.subject, subject))
    .run();
}

export const isKnownAddress = preparedHas(knownAddresses, "userId", "addressHash");

export function rememberAddress(tx: Db, row: typeof knownAddresses.$inferSelect): void {
  const { userId, addressHash } = knownAddresses;
  tx.insert(knownAddresses)
    .values(row)
    .onConflictDoUpdate({ target: [userId, addressHash], set: { lastAt: row.lastAt } })
    .run();
}

export function deleteOldAttempts(tx: Db, before: { windowStart: number; lastAt: number }): void {
  tx.delete(signInFailures).where(lt(signInFailures.windowStart, before.windowStart)).run();
  tx.delete(knownAddresses).where(lt(knownAddresses.lastAt, before.lastAt)).run();
}
