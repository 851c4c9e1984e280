import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { hashSecret, newSecret } from "~/core/ids.server";
import { type AuditActor, append } from "~/platform/audit/audit.service.server";
import * as invitations from "./invitation.repo.server";
import {
  actorOf,
  addUser,
  assertMayGrant,
  findIdentity,
  memberOf,
  requireMember,
} from "./member.service.server";
import type { AcceptInput, Invitation, Member, MemberInput } from "./members.schema";
import { memberName } from "./members.shared";
import { oauthProviderName } from "./oauth-provider.service.server";
import { assertGoodPassword, hashPassword } from "./password.server";
import * as factors from "./second-factor.repo.server";
import * as sessions from "./session.repo.server";
import { requirePerson } from "./session.service.server";
import * as users from "./user.repo.server";

/** In ms. */
const INVITATION_LIFETIME = 7 * 24 * 60 * 60_000;
const RESET_LIFETIME = 60 * 60_000;

const NO_EMAIL = "This account has no email address, so it can't have a password.";

/** The secret is shown once and grants the account; for an active member it resets the password. */
export interface NewInvitation {
  member: Member;
  secret: string;
  expiresAt: number;
}

export function toInvitation({ member, secret, expiresAt }: NewInvitation, origin: string): Invitation {
  return {
    member,
    inviteUrl: `${origin}/invite/${secret}`,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

function createLink(
  tx: Db,
  actor: AuditActor,
  row: users.UserRow,
  action: "member.invited" | "member.link_created",
): NewInvitation {
  const secret = newSecret();
  const at = now();
  const expiresAt = at + (row.status === "active" ? RESET_LIFETIME : INVITATION_LIFETIME);
  const secretHash = hashSecret(secret);
  invitations.putInvitation(tx, {
    userId: row.id,
    secretHash,
    createdAt: at,
    expiresAt,
    invitedBy: actor.userId === "system" ? null : actor.userId,
  });
  append(tx, actor, {
    action,
    resource: `user:${row.id}`,
    details: { email: row.email, role: row.role },
  });
  return { member: memberOf(tx, row), secret, expiresAt };
}

/**
 * Invites a member by email with a one-time link; an email address alone grants nothing.
 * @throws AppError `forbidden`, or `conflict` with fields for a member's address
 */
export function inviteMember(actor: Actor, input: MemberInput): NewInvitation {
  requirePerson(actor);
  assertMayGrant(actor, input.role);
  return transaction((tx) => {
    const existing = users
      .findUsersByEmail(tx, actor.orgId, input.email)
      .some(({ status }) => status !== "removed" && status !== "waiting");
    if (existing) {
      const message = "A member or invitation with this email already exists.";
      throw new AppError("conflict", message, { fields: { email: [message] } });
    }
    const row = addUser(tx, { ...input, orgId: actor.orgId, status: "invited" });
    return createLink(tx, actor, row, "member.invited");
  });
}

/**
 * Replaces an invited person's link, or lets a member reset their password, which stays until the link is used.
 * @throws AppError `forbidden` (also for tokens and oneself), `not_found`, `conflict` for inactive members and those who
 * sign in through the provider only
 */
export function renewInvitation(actor: Actor, id: string): NewInvitation {
  requirePerson(actor);
  return transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (row.id === actor.userId) {
      throw new AppError("forbidden", "Change your own password in your profile.");
    }
    if (row.status === "waiting") throw new AppError("conflict", "Admit this person first.");
    if (row.status === "suspended") throw new AppError("conflict", "Resume this member first.");
    if (row.status === "active" && !row.passwordHash && findIdentity(tx, id)) {
      const provider = oauthProviderName();
      throw new AppError("conflict", `This member signs in with ${provider}. Reset their password there.`);
    }
    return createLink(tx, actor, row, "member.link_created");
  });
}

/**
 * For the operator: a link with which an owner chooses a new password, also one who signed in through the provider. A
 * second factor goes, since its device may be what was lost.
 * @param name the owner's email address or id
 * @throws Error naming the owners, if none has that name
 */
export function createOwnerLink(name: string): NewInvitation {
  return transaction((tx) => {
    const orgId = users.readOrganisation(tx)?.id ?? "";
    const owners = users
      .listMemberRows(tx, orgId)
      .filter((row) => row.role === "owner" && row.status === "active");
    const typed = name.trim().toLowerCase();
    const named = owners.filter(({ id, email }) => id === name || email === typed);
    const row = named.find(({ passwordHash }) => passwordHash) ?? named[0];
    if (!row) {
      const lines = owners.map(({ id, email }) => `  ${email || "no email address"} (${id})`);
      throw new Error(["Name one of the owners:", ...lines].join("\n"));
    }
    if (!row.email) throw new Error(NO_EMAIL);
    const operator = { userId: "system", orgId };
    if (factors.hasFactor(tx, row.id)) {
      factors.deleteFactorsOf(tx, row.id);
      append(tx, operator, {
        action: "member.second_factor_removed",
        resource: `user:${row.id}`,
        details: { email: row.email },
      });
    }
    return createLink(tx, operator, row, "member.link_created");
  });
}

export function readInvitation(secret: string, tx: Db = db()): users.UserRow {
  const invitation = invitations.findInvitation(tx, hashSecret(secret));
  if (
    !invitation ||
    now() >= invitation.expiresAt ||
    !["invited", "active"].includes(invitation.user.status)
  ) {
    throw new AppError("gone", "This link isn't valid or has expired. Ask an admin for a new one.");
  }
  return invitation.user;
}

export function invitationState(secret: string) {
  try {
    const { id, orgId, email, role, status } = readInvitation(secret);
    const inviter = invitations.findInviter(db(), id);
    const invitedBy = inviter ? memberName(inviter) : null;
    return { orgId, email, role, invitedBy, member: status === "active", problem: null };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

/** Consumes the link and activates its user. */
export function consumeInvitation(
  tx: Db,
  secret: string,
  change: Partial<users.UserRow>,
  method: "password" | "oauth",
): users.UserRow {
  const row = readInvitation(secret, tx);
  const next = { ...change, status: "active" as const, updatedAt: now() };
  users.updateUser(tx, row.id, next);
  invitations.deleteInvitation(tx, row.id);
  // Ends the sessions that used the old password.
  sessions.deleteSessionsOf(tx, row.id);
  append(tx, actorOf(row), {
    action: row.status === "invited" ? "member.joined" : "user.sign_in_replaced",
    resource: `user:${row.id}`,
    details: { method },
  });
  return { ...row, ...next };
}

/** Uses a link to set a password. @throws AppError `gone`, or `invalid` with fields */
export async function acceptWithPassword(secret: string, input: AcceptInput): Promise<users.UserRow> {
  const { email } = readInvitation(secret);
  assertGoodPassword(input.password, email);
  const passwordHash = await hashPassword(input.password);
  const user = transaction((tx) => {
    const row = readInvitation(secret, tx);
    if (!row.email) throw new AppError("conflict", NO_EMAIL);
    const holder = users.findPasswordUser(tx, row.email);
    if (holder && holder.id !== row.id) {
      throw new AppError("conflict", "Another account with this email already has a password.");
    }
    const names = { firstName: input.firstName ?? row.firstName, lastName: input.lastName ?? row.lastName };
    return consumeInvitation(tx, secret, { passwordHash, ...names }, "password");
  });
  accessChanged(user.id);
  return user;
}
