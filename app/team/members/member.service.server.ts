import { createHash } from "node:crypto";
import { accessChanged } from "~/core/access-events.server";
import { type Actor, ROLES, type Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { pageOf } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { assertUnchangedSince } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { type AuditActor, append, changesOf } from "~/platform/audit/audit.service.server";
import type { Permission } from "~/platform/catalogue/permissions";
import { atLeast, authorise, may, refusal } from "~/platform/rights/authorization.server";
import { arrangeMembers } from "./arrange-members.server";
import { deleteMembershipsOf } from "./groups.repo.server";
import * as invitations from "./invitation.repo.server";
import { type CurrentUser, type Member, type MembersQuery, ProfilePatch } from "./members.schema";
import { issuerSpellings } from "./oauth-provider.service.server";
import * as factors from "./second-factor.repo.server";
import * as sessions from "./session.repo.server";
import { requirePerson } from "./session.service.server";
import * as tokens from "./token.repo.server";
import * as users from "./user.repo.server";

const NOT_FOUND = "Member not found. They may have been removed.";

const SIGNED_OUT = "You are signed out. Sign in and try again.";

function toIdentity(row: users.UserRow) {
  const { id, firstName, lastName, email, role, profileImageUrl } = row;
  return { id, firstName, lastName, email, role, profileImageUrl };
}

/** Changes with the names only: the account also changes with the role or by signing in with OAuth. */
const versionOf = ({ firstName, lastName }: Pick<users.UserRow, "firstName" | "lastName">): string =>
  createHash("sha256")
    .update(JSON.stringify([firstName, lastName]))
    .digest("base64url")
    .slice(0, 22);

export function currentUser(actor: Actor): CurrentUser {
  const row = users.findUser(db(), actor.orgId, actor.userId);
  if (!row) throw new AppError("unauthenticated", SIGNED_OUT);
  return { ...toIdentity(row), role: actor.role, version: versionOf(row) };
}

const PROFILE_LABELS = { firstName: "First name", lastName: "Last name" };

/**
 * Null clears a name.
 * @param read `version` of the names that were edited; without one the last save wins
 * @throws AppError `conflict` if the names changed since
 */
export function updateProfile(
  actor: Actor,
  names: Omit<ProfilePatch, "version">,
  read?: string,
): CurrentUser {
  authorise(actor, "profile.write");
  transaction((tx) => {
    const before = users.findUser(tx, actor.orgId, actor.userId);
    if (!before) throw new AppError("unauthenticated", SIGNED_OUT);
    const saved = { ...before, version: versionOf(before) };
    assertUnchangedSince(read, { noun: "profile", labels: PROFILE_LABELS, saved, entered: names });
    const { firstName, lastName } = names;
    users.updateUser(tx, actor.userId, {
      ...(firstName === undefined ? {} : { firstName: firstName || null }),
      ...(lastName === undefined ? {} : { lastName: lastName || null }),
      updatedAt: now(),
    });
    append(tx, actor, {
      action: "user.updated",
      resource: `user:${actor.userId}`,
      ...changesOf(ProfilePatch.shape, before, names),
    });
  });
  return currentUser(actor);
}

interface MemberFacts {
  lastSeenAt?: number | null;
  oauth: boolean;
  mappedRole: Role | null;
  hasSecondFactor: boolean;
}

function toMember(row: users.UserRow, facts: MemberFacts): Member {
  if (row.status === "removed") throw new AppError("not_found", NOT_FOUND);
  return {
    ...toIdentity(row),
    status: row.status,
    mappedRole: facts.mappedRole,
    signIn: [...(row.passwordHash ? ["password" as const] : []), ...(facts.oauth ? ["oauth" as const] : [])],
    hasSecondFactor: facts.hasSecondFactor,
    createdAt: new Date(row.createdAt).toISOString(),
    lastSeenAt: facts.lastSeenAt ? new Date(facts.lastSeenAt).toISOString() : null,
  };
}

/** At the provider of now: one of an earlier provider isn't a way to sign in. */
export const findIdentity = (tx: Db, userId: string) => users.findIdentityOf(tx, userId, issuerSpellings());

/** As within a change, without the last visit. */
export function memberOf(tx: Db, row: users.UserRow): Member {
  const identity = findIdentity(tx, row.id);
  return toMember(row, {
    oauth: identity !== undefined,
    mappedRole: identity?.mappedRole ?? null,
    hasSecondFactor: factors.hasFactor(tx, row.id),
  });
}

export function listMembers(actor: Actor): Member[] {
  authorise(actor, "members.manage");
  const holders = factors.listFactorHolders(db());
  return users
    .listUsers(db(), actor.orgId, issuerSpellings())
    .map(({ user, identities, ...facts }) =>
      toMember(user, { ...facts, oauth: identities > 0, hasSecondFactor: holders.has(user.id) }),
    );
}

const PAGE_SIZE = 50;

/** The members' screen. @param id a member who may be on another page */
export function pageMembers(actor: Actor, query: MembersQuery, id: string | null) {
  const everybody = listMembers(actor);
  const admitted = everybody.filter(({ status }) => status !== "waiting");
  const requests = everybody.filter(({ status }) => status === "waiting");
  return {
    members: pageOf(arrangeMembers(admitted, query), query.page, PAGE_SIZE),
    total: admitted.length,
    requests: pageOf(requests, query.requests, PAGE_SIZE),
    selected: everybody.find((member) => member.id === id),
  };
}

export function getMember(actor: Actor, id: string): Member {
  const member = listMembers(actor).find((candidate) => candidate.id === id);
  if (!member) throw new AppError("not_found", NOT_FOUND);
  return member;
}

export function addUser(
  tx: Db,
  user: Pick<users.UserRow, "orgId" | "email" | "role" | "status"> & Partial<users.UserRow>,
): users.UserRow {
  const unknown = { firstName: null, lastName: null, profileImageUrl: null, passwordHash: null };
  const at = now();
  const row = { ...unknown, ...user, id: newId("usr"), createdAt: at, updatedAt: at };
  users.insertUser(tx, row);
  return row;
}

/** A person as the actor of what they do before they have a session. */
export const actorOf = ({ id, orgId }: Pick<users.UserRow, "id" | "orgId">) => ({ userId: id, orgId });

/** Including suspended members. */
export function isMember(tx: Db, orgId: string, userId: string): boolean {
  const status = users.findUser(tx, orgId, userId)?.status;
  return status === "active" || status === "suspended";
}

export function requireMember(tx: Db, actor: Actor, id: string): users.UserRow {
  const row = users.findUser(tx, actor.orgId, id);
  if (!row || row.status === "removed") throw new AppError("not_found", NOT_FOUND);
  return row;
}

/** Only owners can manage owners; no actor can grant a role above their own. @throws AppError `forbidden` */
export function assertMayGrant(actor: Actor, ...roles: Role[]): void {
  authorise(actor, "members.manage");
  if (roles.includes("owner")) authorise(actor, "owners.manage");
  if (roles.some((role) => !atLeast(actor.role, role))) {
    throw new AppError("forbidden", refusal("owners.manage"));
  }
}

export function isLastOwner(tx: Db, row: users.UserRow): boolean {
  if (row.role !== "owner" || row.status !== "active") return false;
  return !users.hasOtherOwner(tx, row.orgId, row.id);
}

const LAST_OWNER = "This is the last owner. Make another member an owner first.";

function assertNotLastOwner(tx: Db, row: users.UserRow): void {
  if (isLastOwner(tx, row)) throw new AppError("conflict", LAST_OWNER);
}

/** Why a person can't leave; undefined if they can. */
export function refusalToLeave(actor: Actor): string | undefined {
  return isLastOwner(db(), requireMember(db(), actor, actor.userId)) ? LAST_OWNER : undefined;
}

/** Ends sessions, reset links and tokens above the new role. @returns the ids of the ended sessions */
export function setRole(
  tx: Db,
  actor: AuditActor,
  { id, role: from }: users.UserRow,
  role: Role,
  details: { means?: "rules" } = {},
): string[] {
  users.updateUser(tx, id, { role, updatedAt: now() });
  const higher = ROLES.filter((other) => !atLeast(role, other));
  tokens.deleteTokensOf(tx, id, higher);
  invitations.deleteInvitation(tx, id);
  append(tx, actor, {
    action: "member.role_changed",
    resource: `user:${id}`,
    details: { from, to: role, ...details },
    before: { role: from },
    after: { role },
  });
  return sessions.deleteSessionsOf(tx, id);
}

/**
 * Changes a role and ends sessions, reset links and tokens above the new role.
 * @throws AppError `forbidden` (also for tokens), `not_found`, or `conflict` for the last owner and inactive users
 */
export function changeRole(actor: Actor, id: string, role: Role): Member {
  requirePerson(actor);
  const { member, endedSessions } = transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, role, row.role);
    if (row.status === "waiting") throw new AppError("conflict", "Admit this person first.");
    if (row.id === actor.userId && !atLeast(row.role, role)) {
      throw new AppError("forbidden", "You can't raise your own role.");
    }
    if (role !== "owner") assertNotLastOwner(tx, row);
    const endedSessions = role === row.role ? [] : setRole(tx, actor, row, role);
    return { member: memberOf(tx, { ...row, role }), endedSessions };
  });
  accessChanged(id, { endedSessions });
  return member;
}

/**
 * Suspends a member and ends their sessions and tokens; nothing is deleted.
 * @throws AppError `forbidden` (also for tokens and oneself), `not_found`, `conflict` for the last owner and inactive
 * users
 */
export function suspendMember(actor: Actor, id: string): Member {
  requirePerson(actor);
  const { member, endedSessions } = transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (row.id === actor.userId) throw new AppError("forbidden", "You can't suspend yourself.");
    if (row.status !== "active") throw new AppError("conflict", "This member isn't active. Reload the page.");
    assertNotLastOwner(tx, row);
    const endedSessions = suspendWithin(tx, actor, row);
    return { member: memberOf(tx, { ...row, status: "suspended" }), endedSessions };
  });
  accessChanged(id, { endedSessions });
  return member;
}

/** @returns the ids of the ended sessions */
export function suspendWithin(
  tx: Db,
  actor: AuditActor,
  row: users.UserRow,
  details: { means?: "rules" } = {},
): string[] {
  changeStatus(tx, actor, row, "suspended", details);
  invitations.deleteInvitation(tx, row.id);
  return sessions.deleteSessionsOf(tx, row.id);
}

/** Restores access, role and tokens. @throws AppError `forbidden`, `not_found`, `conflict` unless suspended */
export function resumeMember(actor: Actor, id: string): Member {
  requirePerson(actor);
  return transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (row.status !== "suspended")
      throw new AppError("conflict", "This member isn't suspended. Reload the page.");
    users.admitLapsedIdentities(tx, id);
    changeStatus(tx, actor, row, "active");
    return memberOf(tx, { ...row, status: "active" });
  });
}

export function changeStatus(
  tx: Db,
  actor: AuditActor,
  row: users.UserRow,
  status: "active" | "suspended",
  details: { means?: "rules" } = {},
): void {
  users.updateUser(tx, row.id, { status, updatedAt: now() });
  append(tx, actor, {
    action: status === "active" ? "member.resumed" : "member.suspended",
    resource: `user:${row.id}`,
    details: { email: row.email, ...details },
    before: { status: row.status },
    after: { status },
  });
}

/**
 * Removes a member or invitation in the transaction that handles their data; users may remove themselves. An OAuth
 * identity stays known, so that it can't return as a new person.
 * @returns a function for after the commit
 */
export function removeMemberWithin(tx: Db, actor: Actor, id: string): () => void {
  const row = requireMember(tx, actor, id);
  const isOwnAccount = id === actor.userId;
  if (!isOwnAccount) assertMayGrant(actor, row.role);
  assertNotLastOwner(tx, row);
  const endedSessions = revokeAccess(tx, row);
  append(tx, actor, {
    action: isOwnAccount ? "member.left" : "member.removed",
    resource: `user:${id}`,
    details: { email: row.email, role: row.role },
  });
  return () => accessChanged(id, { endedSessions });
}

function revokeAccess(tx: Db, row: users.UserRow): string[] {
  users.updateUser(tx, row.id, { status: "removed", passwordHash: null, updatedAt: now() });
  tokens.deleteTokensOf(tx, row.id);
  invitations.deleteInvitation(tx, row.id);
  deleteMembershipsOf(tx, row.id);
  factors.deleteFactorsOf(tx, row.id);
  return sessions.deleteSessionsOf(tx, row.id);
}

function requireRequest(tx: Db, actor: Actor, id: string): users.UserRow {
  const row = requireMember(tx, actor, id);
  if (row.status !== "waiting")
    throw new AppError("conflict", "This request was already answered. Reload the page.");
  return row;
}

/** @throws AppError `forbidden` (also for tokens), `not_found`, or `conflict` without a request */
export function admitMember(actor: Actor, id: string, role: Role): Member {
  requirePerson(actor);
  return transaction((tx) => {
    assertMayGrant(actor, role);
    const row = requireRequest(tx, actor, id);
    const change = { status: "active" as const, role, updatedAt: now() };
    users.updateUser(tx, id, change);
    append(tx, actor, { action: "member.admitted", resource: `user:${id}`, details: { role } });
    return memberOf(tx, { ...row, ...change });
  });
}

/** The same identity can't ask again. */
export function declineMember(actor: Actor, id: string): void {
  transaction((tx) => {
    authorise(actor, "members.manage");
    const row = requireRequest(tx, actor, id);
    revokeAccess(tx, row);
    append(tx, actor, {
      action: "member.declined",
      resource: `user:${id}`,
      details: { email: row.email },
    });
  });
}

interface Recipient {
  id: string;
  email: string;
}

export function listRecipients(
  db: Db,
  orgId: string,
  { permission, userIds }: { permission: Permission; userIds?: readonly string[] },
): Recipient[] {
  return users
    .listMemberRows(db, orgId)
    .filter(({ status, role }) => status === "active" && may({ role }, permission))
    .filter(({ id }) => userIds?.includes(id) ?? true)
    .map(({ id, email }) => ({ id, email }));
}
