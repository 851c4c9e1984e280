import { and, asc, count, eq, lt } from "drizzle-orm";
import { union } from "drizzle-orm/sqlite-core";
import {
  type Db,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { authenticators, passkeys, recoveryCodes } from "~db/schema";

export type PasskeyRow = typeof passkeys.$inferSelect;

export const insertPasskey = preparedInsert(passkeys);
export const updatePasskey = preparedUpdate(passkeys, "id");
export const findPasskey = preparedFind(passkeys, "credentialId");
export const findOwnPasskey = preparedFind(passkeys, "userId", "id");
export const hasPasskey = preparedHas(passkeys, "userId");
export const deletePasskey = preparedDelete(passkeys, "userId", "id");

export function listPasskeys(tx: Db, userId: string): PasskeyRow[] {
  return tx.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.createdAt)).all();
}

/** Ids of those with an authenticator app or a passkey. */
export function listFactorHolders(tx: Db): Set<string> {
  const apps = tx.select({ userId: authenticators.userId }).from(authenticators);
  const keys = tx.select({ userId: passkeys.userId }).from(passkeys);
  return new Set(
    union(apps, keys)
      .all()
      .map(({ userId }) => userId),
  );
}

export const hasFactor = (tx: Db, userId: string): boolean =>
  hasAuthenticator(tx, userId) || hasPasskey(tx, userId);

export const insertAuthenticator = preparedInsert(authenticators);
export const findAuthenticator = preparedFind(authenticators, "userId");
export const hasAuthenticator = preparedHas(authenticators, "userId");

/** @returns false if the code of this time step, or a later one, was used */
export function advanceStep(tx: Db, userId: string, step: number): boolean {
  const earlier = and(eq(authenticators.userId, userId), lt(authenticators.lastStep, step));
  return tx.update(authenticators).set({ lastStep: step }).where(earlier).run().changes > 0;
}

export function replaceRecoveryCodes(tx: Db, userId: string, hashes: readonly string[]): void {
  tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  if (hashes.length === 0) return;
  tx.insert(recoveryCodes)
    .values(hashes.map((codeHash) => ({ userId, codeHash })))
    .run();
}

/** @returns false if there is no such code */
export function consumeRecoveryCode(tx: Db, userId: string, codeHash: string): boolean {
  const own = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash));
  return tx.delete(recoveryCodes).where(own).run().changes > 0;
}

export function countRecoveryCodes(tx: Db, userId: string): number {
  const own = eq(recoveryCodes.userId, userId);
  return tx.select({ left: count() }).from(recoveryCodes).where(own).get()?.left ?? 0;
}

export function deleteAuthenticator(tx: Db, userId: string): void {
  tx.delete(authenticators).where(eq(authenticators.userId, userId)).run();
  replaceRecoveryCodes(tx, userId, []);
}

/** Passkeys, authenticator app and recovery codes. */
export function deleteFactorsOf(tx: Db, userId: string): void {
  deleteAuthenticator(tx, userId);
  tx.delete(passkeys).where(eq(passkeys.userId, userId)).run();
}
