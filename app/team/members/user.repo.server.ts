import { and, asc, count, eq, inArray, isNotNull, max, ne } from "drizzle-orm";
import {
  type Db,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { identities, organisations, sessions, setupLinks, userSettings, users } from "~db/schema";

export type UserRow = typeof users.$inferSelect;
type IdentityRow = typeof identities.$inferSelect;
type UserChange = Partial<Omit<UserRow, "id" | "orgId" | "createdAt">>;

export const hasUsers = preparedHas(users);
export const findUser = preparedFind(users, "orgId", "id");
export const insertUser = preparedInsert(users);
export const updateUser: (tx: Db, id: string, change: UserChange) => void = preparedUpdate(users, "id");

export const insertOrganisation = preparedInsert(organisations);

/** An installation has one organization. */
export function readOrganisation(tx: Db): { id: string; name: string } | undefined {
  return tx
    .select({ id: organisations.id, name: organisations.name })
    .from(organisations)
    .orderBy(asc(organisations.createdAt))
    .limit(1)
    .get();
}

export function findPasswordUser(tx: Db, email: string): UserRow | undefined {
  const withPassword = and(eq(users.email, email), isNotNull(users.passwordHash));
  return tx.select().from(users).where(withPassword).get();
}

export function findUsersByEmail(tx: Db, orgId: string, email: string): UserRow[] {
  return tx
    .select()
    .from(users)
    .where(and(eq(users.orgId, orgId), eq(users.email, email)))
    .orderBy(asc(users.createdAt))
    .all();
}

/**
 * All but removed users, oldest first, with their last visit.
 * @param issuers of the identities that count
 */
export function listUsers(tx: Db, orgId: string, issuers: string[]) {
  const isCurrent = and(eq(identities.userId, users.id), inArray(identities.issuer, issuers));
  return tx
    .select({
      user: users,
      lastSeenAt: max(sessions.lastSeenAt),
      identities: count(identities.subject),
      mappedRole: max(identities.mappedRole),
    })
    .from(users)
    .leftJoin(sessions, eq(sessions.userId, users.id))
    .leftJoin(identities, isCurrent)
    .where(and(eq(users.orgId, orgId), ne(users.status, "removed")))
    .groupBy(users.id)
    .orderBy(asc(users.createdAt), asc(users.id))
    .all();
}

/** Including suspended members. */
export function listMemberRows(tx: Db, orgId: string): UserRow[] {
  const isMember = and(eq(users.orgId, orgId), inArray(users.status, ["active", "suspended"]));
  return tx.select().from(users).where(isMember).all();
}

export function hasOtherOwner(tx: Db, orgId: string, except: string): boolean {
  const isOwner = and(eq(users.orgId, orgId), eq(users.role, "owner"), eq(users.status, "active"));
  const other = and(isOwner, ne(users.id, except));
  return tx.select({ id: users.id }).from(users).where(other).limit(1).get() !== undefined;
}

export function countWaiting(tx: Db, orgId: string): number {
  const isWaiting = and(eq(users.orgId, orgId), eq(users.status, "waiting"));
  return tx.select({ waiting: count() }).from(users).where(isWaiting).get()?.waiting ?? 0;
}

export function findIdentity(tx: Db, issuer: string, subject: string): UserRow | undefined {
  return tx
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .get()?.user;
}

/** @param issuers of the identities that count */
export function findIdentityOf(tx: Db, userId: string, issuers: string[]): IdentityRow | undefined {
  const isCurrent = and(eq(identities.userId, userId), inArray(identities.issuer, issuers));
  return tx.select().from(identities).where(isCurrent).limit(1).get();
}

export const findIdentityRow = preparedFind(identities, "issuer", "subject");

export function updateIdentity(
  tx: Db,
  { issuer, subject }: Pick<IdentityRow, "issuer" | "subject">,
  change: Partial<Pick<IdentityRow, "admission" | "mappedRole">>,
): void {
  const isOne = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  tx.update(identities).set(change).where(isOne).run();
}

/** For an admin who admits someone whom no rule admits any more. */
export function admitLapsedIdentities(tx: Db, userId: string): void {
  const isLapsed = and(eq(identities.userId, userId), eq(identities.admission, "lapsed"));
  tx.update(identities).set({ admission: "manual" }).where(isLapsed).run();
}

export const insertIdentity = preparedInsert(identities);
export const deleteIdentity = preparedDelete(identities, "issuer", "subject");

export const insertSetupLink = preparedInsert(setupLinks);
export const hasSetupLink = preparedHas(setupLinks, "secretHash");
export const deleteSetupLinks = preparedDelete(setupLinks);

type UserSettingsRow = typeof userSettings.$inferSelect;

export const findUserSettings = preparedFind(userSettings, "userId");

export function saveUserSettings(
  db: Db,
  userId: string,
  change: Partial<
    Pick<
      UserSettingsRow,
      "preferredModel" | "theme" | "enterSends" | "memory" | "startPage" | "firstStepsHidden"
    >
  >,
  updatedAt: number,
): void {
  db.insert(userSettings)
    .values({ ...change, userId, updatedAt })
    .onConflictDoUpdate({ target: userSettings.userId, set: { ...change, updatedAt } })
    .run();
}
