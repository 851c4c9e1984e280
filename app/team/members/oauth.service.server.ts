import { accessChanged } from "~/core/access-events.server";
import type { Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { atLeast } from "~/platform/rights/authorization.server";
import * as invitations from "./invitation.repo.server";
import { consumeInvitation } from "./invitation.service.server";
import { actorOf, addUser } from "./member.service.server";
import type { Claims } from "./oauth-provider.service.server";
import { setUpWith } from "./setup.service.server";
import { completeSignIn, type SignInMeta, SUSPENDED } from "./sign-in.service.server";
import * as users from "./user.repo.server";

/** Maximum open requests; more are likely an attack. */
const MAX_REQUESTS = 500;

export interface OAuthFlow {
  setup?: string | undefined;
  invite?: string | undefined;
}

type Outcome = { waiting: true } | { waiting: false; secret: string; expiresAt: number };

/** Admission rules: a verified address of a domain, or a group. */
export function isAdmitted(claims: Claims): boolean {
  const { OAUTH_ALLOWED_DOMAINS = [], OAUTH_ALLOWED_GROUPS = [] } = env();
  const domain = claims.emailVerified ? claims.email?.split("@").at(-1) : undefined;
  if (domain && OAUTH_ALLOWED_DOMAINS.some((allowed) => allowed.toLowerCase() === domain)) return true;
  return claims.groups.some((group) => OAUTH_ALLOWED_GROUPS.includes(group));
}

/** The highest role mapped to the person's groups, else `viewer`. */
export function roleFor(claims: Claims): Role {
  const map = env().OAUTH_ROLE_MAP ?? {};
  let best: Role = "viewer";
  for (const group of claims.groups) {
    const mapped = Object.hasOwn(map, group) ? map[group] : undefined;
    if (mapped && atLeast(mapped, best)) best = mapped;
  }
  return best;
}

function factsOf(claims: Claims) {
  return {
    // Display only.
    email: claims.email ?? "",
    firstName: claims.firstName ?? null,
    lastName: claims.lastName ?? null,
    profileImageUrl: claims.pictureUrl ?? null,
  };
}

function linkIdentity(tx: Db, claims: Claims, userId: string): void {
  const { issuer, subject } = claims;
  users.insertIdentity(tx, { issuer, subject, userId, createdAt: now() });
}

/** A known identity may move from a removed user or a request, but not from a member. */
function joinInvited(tx: Db, secret: string, claims: Claims): users.UserRow {
  const holder = users.findIdentity(tx, claims.issuer, claims.subject);
  const facts = factsOf(claims);
  const user = consumeInvitation(tx, secret, {}, "oauth");
  if (holder?.id !== user.id) {
    if (holder?.status === "active" || holder?.status === "suspended") {
      throw new AppError(
        "conflict",
        "You are already a member with another account. Sign in without the link.",
      );
    }
    if (holder) {
      users.updateUser(tx, holder.id, { status: "removed", updatedAt: now() });
      invitations.deleteInvitation(tx, holder.id);
      users.deleteIdentity(tx, claims.issuer, claims.subject);
    }
    linkIdentity(tx, claims, user.id);
  }
  const names = {
    firstName: user.firstName ?? facts.firstName,
    lastName: user.lastName ?? facts.lastName,
  };
  users.updateUser(tx, user.id, names);
  return { ...user, ...names };
}

function joinNew(tx: Db, claims: Claims): users.UserRow {
  const organisation = users.readOrganisation(tx);
  if (!organisation || !users.hasUsers(tx)) {
    throw new AppError(
      "forbidden",
      "This console has no owner yet. Open the setup link from the server log.",
    );
  }
  const admitted = isAdmitted(claims);
  if (!admitted && users.countWaiting(tx, organisation.id) >= MAX_REQUESTS) {
    throw new AppError("unavailable", "Too many requests are waiting for approval. Ask an admin.");
  }
  const row = addUser(tx, {
    ...factsOf(claims),
    orgId: organisation.id,
    role: admitted ? roleFor(claims) : "viewer",
    status: admitted ? "active" : "waiting",
  });
  linkIdentity(tx, claims, row.id);
  append(tx, actorOf(row), {
    action: admitted ? "member.joined" : "member.requested",
    resource: `user:${row.id}`,
    details: {
      method: "oauth",
      ...(admitted ? { role: row.role } : {}),
      // Why no group admitted them.
      ...(claims.groupsLeftOut ? { groups: "left out by the provider" } : {}),
    },
  });
  return row;
}

/** A known user; changed rules may admit them now. */
function updateKnownUser(tx: Db, row: users.UserRow, claims: Claims): users.UserRow {
  if (row.status === "removed") {
    throw new AppError("forbidden", "You don't have access to this console. Ask an admin for an invitation.");
  }
  if (row.status === "suspended") throw new AppError("forbidden", SUSPENDED);
  const admitted = row.status === "waiting" && isAdmitted(claims);
  const facts = factsOf(claims);
  const change = {
    // A password belongs to its address, which the provider can't change.
    ...(row.passwordHash ? {} : { email: facts.email || row.email }),
    firstName: row.firstName ?? facts.firstName,
    lastName: row.lastName ?? facts.lastName,
    profileImageUrl: facts.profileImageUrl,
    ...(admitted ? { status: "active" as const, role: roleFor(claims) } : {}),
  };
  users.updateUser(tx, row.id, { ...change, updatedAt: now() });
  if (admitted)
    append(tx, actorOf(row), {
      action: "member.joined",
      resource: `user:${row.id}`,
      details: { method: "oauth", role: roleFor(claims) },
    });
  return { ...row, ...change };
}

/**
 * Signs in a verified identity, matched by issuer and subject, never by email. Links bind new identities to the owner
 * or an invitation; others are admitted by rule or wait for an admin.
 * @throws AppError `forbidden` for removed users and before setup, `gone` for expired links
 */
export function signInWithIdentity(claims: Claims, flow: OAuthFlow, meta: SignInMeta): Outcome {
  const { outcome, joined } = transaction((tx) => {
    const existing = users.findIdentity(tx, claims.issuer, claims.subject);
    let user: users.UserRow;
    if (flow.setup && !users.hasUsers(tx)) {
      user = setUpWith(flow.setup, factsOf(claims), (inner, owner) => linkIdentity(inner, claims, owner.id));
    } else if (flow.invite) user = joinInvited(tx, flow.invite, claims);
    else if (existing) user = updateKnownUser(tx, existing, claims);
    else user = joinNew(tx, claims);
    const result: Outcome =
      user.status === "active"
        ? { waiting: false, ...completeSignIn(user, meta, "oauth") }
        : { waiting: true };
    return { outcome: result, joined: flow.invite ? user.id : undefined };
  });
  if (joined) accessChanged(joined);
  return outcome;
}
