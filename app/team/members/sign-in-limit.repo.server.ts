import { and, eq, lt, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { knownAddresses, signInFailures } from "~db/schema";

export function readFailures(tx: Db, subject: string): { failures: number; windowStart: number } | undefined {
  return tx
    .select({ failures: signInFailures.failures, windowStart: signInFailures.windowStart })
    .from(signInFailures)
    .where(eq(signInFailures.subject, subject))
    .get();
}

export function writeFailures(tx: Db, subject: string, failures: number, windowStart: number): void {
  tx.insert(signInFailures)
    .values({ subject, failures, windowStart })
    .onConflictDoUpdate({ target: signInFailures.subject, set: { failures, windowStart } })
    .run();
}

export function forgiveFailure(tx: Db, subject: string): void {
  tx.update(signInFailures)
    .set({ failures: sql`max(0, ${signInFailures.failures} - 1)` })
    .where(eq(signInFailures.subject, subject))
    .run();
}

export function deleteFailures(tx: Db, subject: string): void {
  tx.delete(signInFailures).where(eq(signInFailures.subject, subject)).run();
}

export function isKnownAddress(tx: Db, userId: string, addressHash: string): boolean {
  const row = tx
    .select({ lastAt: knownAddresses.lastAt })
    .from(knownAddresses)
    .where(and(eq(knownAddresses.userId, userId), eq(knownAddresses.addressHash, addressHash)))
    .get();
  return row !== undefined;
}

export function rememberAddress(tx: Db, userId: string, addressHash: string, lastAt: number): void {
  tx.insert(knownAddresses)
    .values({ userId, addressHash, lastAt })
    .onConflictDoUpdate({
      target: [knownAddresses.userId, knownAddresses.addressHash],
      set: { lastAt },
    })
    .run();
}

export function deleteOldAttempts(tx: Db, before: { windowStart: number; lastAt: number }): void {
  tx.delete(signInFailures).where(lt(signInFailures.windowStart, before.windowStart)).run();
  tx.delete(knownAddresses).where(lt(knownAddresses.lastAt, before.lastAt)).run();
}
