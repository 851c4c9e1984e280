import { accessChanged } from "~/core/access-events.server";
import { type Actor, atLeast, ROLES, type Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "../audit/audit.service.server";
import { changesOf } from "../audit/changes.schema";
import { authorise, refusal } from "./authorisation.server";
import { deleteMemberships } from "./groups.repo.server";
import * as invitations from "./invitation.repo.server";
import { type CurrentUser, type Member, ProfilePatch } from "./members.schema";
import * as sessions from "./session.repo.server";
import { requirePerson } from "./session.service.server";
import * as tokens from "./token.repo.server";
import * as users from "./user.repo.server";

const GONE = "Member not found. They may have been removed.";

function toCurrentUser(row: users.UserRow): CurrentUser {
  const { id, firstName, lastName, email, role, profileImageUrl } = row;
  return { id, firstName, lastName, email, role, profileImageUrl };
}

/** @throws AppError `unauthenticated` when the person is gone */
export function currentUser(actor: Actor): CurrentUser {
  const row = users.findUser(db(), actor.orgId, actor.userId);
  if (!row) throw new AppError("unauthenticated", "You are signed out. Sign in and try again.");
  return { ...toCurrentUser(row), role: actor.role };
}

/** Changes the names that `input` holds; null clears one. */
export function updateProfile(actor: Actor, input: ProfilePatch): CurrentUser {
  authorise(actor, "profile.write");
  const { firstName, lastName } = input;
  transaction((tx) => {
    const before = users.findUser(tx, actor.orgId, actor.userId);
    users.updateUser(tx, actor.userId, {
      ...(firstName === undefined ? {} : { firstName: firstName || null }),
      ...(lastName === undefined ? {} : { lastName: lastName || null }),
      updatedAt: now(),
    });
    append(tx, actor, {
      action: "user.updated",
      resource: `user:${actor.userId}`,
      ...changesOf(ProfilePatch.shape, before ?? {}, input),
    });
  });
  return currentUser(actor);
}

export function toMember(row: users.UserRow, facts: { lastSeenAt?: number | null; oauth: boolean }): Member {
  if (row.status === "removed") throw new AppError("not_found", GONE);
  return {
    ...toCurrentUser(row),
    status: row.status,
    signIn: [...(row.passwordHash ? ["password" as const] : []), ...(facts.oauth ? ["oauth" as const] : [])],
    createdAt: new Date(row.createdAt).toISOString(),
    lastSeenAt: facts.lastSeenAt ? new Date(facts.lastSeenAt).toISOString() : null,
  };
}

/** Members, invited people and requests to join, the oldest first. */
export function listMembers(actor: Actor): Member[] {
  authorise(actor, "members.manage");
  return users
    .listUsers(db(), actor.orgId)
    .map(({ user, lastSeenAt, identities }) => toMember(user, { lastSeenAt, oauth: identities > 0 }));
}

/** @throws AppError `not_found` */
export function getMember(actor: Actor, id: string): Member {
  const member = listMembers(actor).find((candidate) => candidate.id === id);
  if (!member) throw new AppError("not_found", GONE);
  return member;
}

const displayName = ({
  firstName,
  lastName,
  email,
}: Pick<users.UserRow, "firstName" | "lastName" | "email">) =>
  [firstName, lastName].filter(Boolean).join(" ") || email.split("@")[0] || "User";

/** A person's name, also after they have left; "Removed member" for an unknown id. */
export function nameOf(orgId: string, userId: string): string {
  const row = users.findUser(db(), orgId, userId);
  return row ? displayName(row) : "Removed member";
}

/** The members by name, which every member may know: to choose from, and to say whose something is. */
export function listColleagues(actor: Actor): { id: string; name: string }[] {
  return users
    .listMemberRows(db(), actor.orgId)
    .map((row) => ({ id: row.id, name: displayName(row) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en-US"));
}

/** What members are called, by id. */
export function namesOfMembers(actor: Actor): Record<string, string> {
  return Object.fromEntries(listColleagues(actor).map(({ id, name }) => [id, name]));
}

/** The role that someone has now; undefined for someone who is no active member. */
export function roleOf(tx: Db, orgId: string, userId: string): Role | undefined {
  const row = users.findUser(tx, orgId, userId);
  return row?.status === "active" ? row.role : undefined;
}

/** Whether someone is a member, also while they are suspended. */
export function isMember(tx: Db, orgId: string, userId: string): boolean {
  const status = users.findUser(tx, orgId, userId)?.status;
  return status === "active" || status === "suspended";
}

/**
 * The actor with the role that their person has now, for what ends long after it began.
 * @throws AppError `forbidden` for someone who is no active member any more
 */
export function asOfNow(tx: Db, actor: Actor): Actor {
  if (actor.kind === "system") return actor;
  const role = roleOf(tx, actor.orgId, actor.userId);
  if (!role) throw new AppError("forbidden", "Your access has ended. Ask an admin to restore it.");
  return { ...actor, role: atLeast(role, actor.role) ? actor.role : role };
}

/** How many requests wait; 0 for users who may not see them. */
export function countRequests(actor: Actor): number {
  return atLeast(actor.role, "admin") ? users.countWaiting(db(), actor.orgId) : 0;
}

/** @throws AppError `not_found` */
export function requireMember(tx: Db, actor: Actor, id: string): users.UserRow {
  const row = users.findUser(tx, actor.orgId, id);
  if (!row || row.status === "removed") throw new AppError("not_found", GONE);
  return row;
}

/**
 * Only owners make, change or remove owners, and no one grants more than they hold.
 * @throws AppError `forbidden`
 */
export function assertMayGrant(actor: Actor, ...roles: Role[]): void {
  authorise(actor, "members.manage");
  if (roles.includes("owner")) authorise(actor, "owners.manage");
  if (roles.some((role) => !atLeast(actor.role, role))) {
    throw new AppError("forbidden", refusal("owners.manage"));
  }
}

function assertNotLastOwner(tx: Db, row: users.UserRow): void {
  if (row.role !== "owner" || row.status !== "active") return;
  if (users.countOtherOwners(tx, row.orgId, row.id) > 0) return;
  throw new AppError("conflict", "This is the last owner. Make another member an owner first.");
}

/**
 * Gives a member another role. Their sessions end, and so do tokens that could do more than the new role may and a
 * link to a new password: who made it for the old role need not be one who may make it for the new.
 *
 * @throws AppError `forbidden` (to tokens too), `not_found`, or `conflict` for the last owner and for people who aren't in yet
 */
export function changeRole(actor: Actor, id: string, role: Role): Member {
  requirePerson(actor);
  const member = transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, role, row.role);
    if (row.status === "waiting") throw new AppError("conflict", "Admit this person first.");
    if (row.id === actor.userId && !atLeast(row.role, role)) {
      throw new AppError("forbidden", "You can't raise your own role.");
    }
    if (role !== "owner") assertNotLastOwner(tx, row);
    if (role !== row.role) {
      users.updateUser(tx, id, { role, updatedAt: now() });
      sessions.deleteSessionsOf(tx, id);
      tokens.deleteTokensOf(
        tx,
        id,
        ROLES.filter((other) => !atLeast(role, other)),
      );
      invitations.deleteInvitation(tx, id);
      append(tx, actor, {
        action: "member.role_changed",
        resource: `user:${id}`,
        details: { from: row.role, to: role },
        before: { role: row.role },
        after: { role },
      });
    }
    return toMember({ ...row, role }, { oauth: users.hasIdentity(tx, id) });
  });
  accessChanged(id);
  return member;
}

/**
 * Suspends a member: they are signed out everywhere and their tokens stop. Nothing of theirs is deleted.
 *
 * @throws AppError `forbidden` (to tokens too, and for oneself), `not_found`, `conflict` for the last owner and for people
 * who aren't active members
 */
export function suspendMember(actor: Actor, id: string): Member {
  requirePerson(actor);
  const member = transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (row.id === actor.userId) throw new AppError("forbidden", "You can't suspend yourself.");
    if (row.status !== "active") throw new AppError("conflict", "This member isn't active. Reload the page.");
    assertNotLastOwner(tx, row);
    sessions.deleteSessionsOf(tx, id);
    invitations.deleteInvitation(tx, id);
    return changeStatus(tx, actor, row, "suspended");
  });
  accessChanged(id);
  return member;
}

/**
 * Lets a suspended member in again, with their role and their tokens.
 *
 * @throws AppError `forbidden` (to tokens too), `not_found`, `conflict` for who isn't suspended
 */
export function resumeMember(actor: Actor, id: string): Member {
  requirePerson(actor);
  return transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (row.status !== "suspended")
      throw new AppError("conflict", "This member isn't suspended. Reload the page.");
    return changeStatus(tx, actor, row, "active");
  });
}

function changeStatus(tx: Db, actor: Actor, row: users.UserRow, status: "active" | "suspended"): Member {
  users.updateUser(tx, row.id, { status, updatedAt: now() });
  append(tx, actor, {
    action: status === "active" ? "member.resumed" : "member.suspended",
    resource: `user:${row.id}`,
    details: { email: row.email },
    before: { status: row.status },
    after: { status },
  });
  return toMember({ ...row, status }, { oauth: users.hasIdentity(tx, row.id) });
}

/**
 * Removes a member, or withdraws an invitation, within the transaction that decides on their data. Everybody may remove
 * their own account. Sessions, tokens and links end at once; an OAuth identity stays known, so that its next sign-in doesn't pass as a new person's.
 *
 * @returns what to call after the commit
 */
export function removeMemberWithin(tx: Db, actor: Actor, id: string): () => void {
  const row = requireMember(tx, actor, id);
  const isOwnAccount = id === actor.userId;
  if (!isOwnAccount) assertMayGrant(actor, row.role);
  assertNotLastOwner(tx, row);
  shutOut(tx, row);
  append(tx, actor, {
    action: isOwnAccount ? "member.left" : "member.removed",
    resource: `user:${id}`,
    details: { email: row.email, role: row.role },
  });
  return () => accessChanged(id);
}

function shutOut(tx: Db, row: users.UserRow): void {
  users.updateUser(tx, row.id, { status: "removed", passwordHash: null, updatedAt: now() });
  sessions.deleteSessionsOf(tx, row.id);
  tokens.deleteTokensOf(tx, row.id);
  invitations.deleteInvitation(tx, row.id);
  deleteMemberships(tx, row.id);
}

function requireRequest(tx: Db, actor: Actor, id: string): users.UserRow {
  const row = requireMember(tx, actor, id);
  if (row.status !== "waiting")
    throw new AppError("conflict", "This request was already answered. Reload the page.");
  return row;
}

/**
 * Lets someone in who asked to join.
 *
 * @throws AppError `forbidden` (to tokens too), `not_found`, or `conflict` when this person doesn't wait
 */
export function admitMember(actor: Actor, id: string, role: Role): Member {
  requirePerson(actor);
  return transaction((tx) => {
    assertMayGrant(actor, role);
    const row = requireRequest(tx, actor, id);
    const change = { status: "active" as const, role, updatedAt: now() };
    users.updateUser(tx, id, change);
    append(tx, actor, { action: "member.admitted", resource: `user:${id}`, details: { role } });
    return toMember({ ...row, ...change }, { oauth: true });
  });
}

/** Turns a request down; the same identity can't ask again. */
export function declineMember(actor: Actor, id: string): void {
  transaction((tx) => {
    authorise(actor, "members.manage");
    const row = requireRequest(tx, actor, id);
    shutOut(tx, row);
    append(tx, actor, {
      action: "member.declined",
      resource: `user:${id}`,
      details: { email: row.email },
    });
  });
}
