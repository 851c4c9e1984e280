import { and, asc, count, eq, inArray, isNotNull, max, ne, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { identities, organisations, sessions, setupLinks, users } from "~db/schema";

export type UserRow = typeof users.$inferSelect;
type UserChange = Partial<Omit<UserRow, "id" | "orgId" | "createdAt">>;

/** True once there was an owner. */
export function hasUsers(tx: Db): boolean {
  return tx.select({ id: users.id }).from(users).limit(1).get() !== undefined;
}

/** An installation has one organization. */
export function readOrganisation(tx: Db): { id: string; name: string } | undefined {
  return tx
    .select({ id: organisations.id, name: organisations.name })
    .from(organisations)
    .orderBy(asc(organisations.createdAt))
    .limit(1)
    .get();
}

export function insertOrganisation(tx: Db, row: typeof organisations.$inferInsert): void {
  tx.insert(organisations).values(row).run();
}

export function insertUser(tx: Db, row: typeof users.$inferInsert): void {
  tx.insert(users).values(row).run();
}

const findStatement = prepared((db) =>
  db
    .select()
    .from(users)
    .where(and(eq(users.orgId, sql.placeholder("orgId")), eq(users.id, sql.placeholder("id"))))
    .prepare(),
);

export function findUser(tx: Db, orgId: string, id: string): UserRow | undefined {
  return findStatement(tx).get({ orgId, id });
}

/** Accounts with a password. */
export function findPasswordUser(tx: Db, email: string): UserRow | undefined {
  return tx
    .select()
    .from(users)
    .where(and(eq(users.email, email), isNotNull(users.passwordHash)))
    .get();
}

export function findUsersByEmail(tx: Db, orgId: string, email: string): UserRow[] {
  return tx
    .select()
    .from(users)
    .where(and(eq(users.orgId, orgId), eq(users.email, email)))
    .orderBy(asc(users.createdAt))
    .all();
}

export function updateUser(tx: Db, id: string, change: UserChange): void {
  tx.update(users).set(change).where(eq(users.id, id)).run();
}

/** All but removed users, oldest first, with their last visit. */
export function listUsers(tx: Db, orgId: string) {
  return tx
    .select({
      user: users,
      lastSeenAt: max(sessions.lastSeenAt),
      identities: count(identities.subject),
    })
    .from(users)
    .leftJoin(sessions, eq(sessions.userId, users.id))
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(and(eq(users.orgId, orgId), ne(users.status, "removed")))
    .groupBy(users.id)
    .orderBy(asc(users.createdAt), asc(users.id))
    .all();
}

/** Including suspended members. */
export function listMemberRows(tx: Db, orgId: string): UserRow[] {
  return tx
    .select()
    .from(users)
    .where(and(eq(users.orgId, orgId), inArray(users.status, ["active", "suspended"])))
    .all();
}

/** How many active owners there are beside `except`. */
export function countOtherOwners(tx: Db, orgId: string, except: string): number {
  const row = tx
    .select({ owners: count() })
    .from(users)
    .where(
      and(eq(users.orgId, orgId), eq(users.role, "owner"), eq(users.status, "active"), ne(users.id, except)),
    )
    .get();
  return row?.owners ?? 0;
}

export function countWaiting(tx: Db, orgId: string): number {
  const row = tx
    .select({ waiting: count() })
    .from(users)
    .where(and(eq(users.orgId, orgId), eq(users.status, "waiting")))
    .get();
  return row?.waiting ?? 0;
}

export function findIdentity(tx: Db, issuer: string, subject: string): UserRow | undefined {
  return tx
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .get()?.user;
}

export function hasIdentity(tx: Db, userId: string): boolean {
  return (
    tx.select({ issuer: identities.issuer }).from(identities).where(eq(identities.userId, userId)).get() !==
    undefined
  );
}

export function insertIdentity(tx: Db, row: typeof identities.$inferInsert): void {
  tx.insert(identities).values(row).run();
}

export function insertSetupLink(tx: Db, secretHash: string, createdAt: number): void {
  tx.insert(setupLinks).values({ secretHash, createdAt }).run();
}

export function deleteSetupLinks(tx: Db): void {
  tx.delete(setupLinks).run();
}

export function findSetupLink(tx: Db, secretHash: string): boolean {
  return tx.select().from(setupLinks).where(eq(setupLinks.secretHash, secretHash)).get() !== undefined;
}

export function deleteIdentity(tx: Db, issuer: string, subject: string): void {
  tx.delete(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .run();
}
