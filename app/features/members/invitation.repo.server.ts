import { eq, lt } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { invitations, users } from "~db/schema";

/** A person has one live link: a newer one replaces it. */
export function putInvitation(tx: Db, row: typeof invitations.$inferInsert): void {
  const { secretHash, createdAt, expiresAt } = row;
  tx.insert(invitations)
    .values(row)
    .onConflictDoUpdate({ target: invitations.userId, set: { secretHash, createdAt, expiresAt } })
    .run();
}

export function findInvitation(tx: Db, secretHash: string) {
  return tx
    .select({ user: users, expiresAt: invitations.expiresAt })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.userId))
    .where(eq(invitations.secretHash, secretHash))
    .get();
}

export function deleteInvitation(tx: Db, userId: string): void {
  tx.delete(invitations).where(eq(invitations.userId, userId)).run();
}

export function deleteOldInvitations(tx: Db, before: number): void {
  tx.delete(invitations).where(lt(invitations.expiresAt, before)).run();
}
