import { and, eq, lt } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type Db, preparedDelete } from "~/core/db.server";
import { invitations, users } from "~db/schema";

/** A person has one link: a newer one replaces it. */
export function putInvitation(tx: Db, row: typeof invitations.$inferInsert): void {
  const { userId: _, ...change } = row;
  tx.insert(invitations).values(row).onConflictDoUpdate({ target: invitations.userId, set: change }).run();
}

export function findInvitation(tx: Db, secretHash: string) {
  return tx
    .select({ user: users, expiresAt: invitations.expiresAt })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.userId))
    .where(eq(invitations.secretHash, secretHash))
    .get();
}

/** Undefined if unknown or removed. */
export function findInviter(tx: Db, userId: string) {
  const inviter = alias(users, "host");
  return tx
    .select({ firstName: inviter.firstName, lastName: inviter.lastName, email: inviter.email })
    .from(invitations)
    .innerJoin(inviter, eq(inviter.id, invitations.invitedBy))
    .where(and(eq(invitations.userId, userId), eq(inviter.status, "active")))
    .get();
}

export const deleteInvitation = preparedDelete(invitations, "userId");

export function deleteOldInvitations(tx: Db, before: number): void {
  tx.delete(invitations).where(lt(invitations.expiresAt, before)).run();
}
