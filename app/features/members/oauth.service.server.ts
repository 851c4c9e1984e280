import { accessChanged } from "~/core/access-events.server";
import { atLeast, type Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "../audit/audit.service.server";
import * as invitations from "./invitation.repo.server";
import { consumeInvitation } from "./invitation.service.server";
import type { Claims } from "./oauth-claims.server";
import { setUpWith } from "./setup.service.server";
import { completeSignIn, type SignInMeta, SUSPENDED } from "./sign-in.service.server";
import * as users from "./user.repo.server";

/** Maximum open requests: more are unreadable and likely an attack. */
const MOST_REQUESTS = 500;

/** The one-time links that a sign-in may have started with. */
export interface OAuthFlow {
  setup?: string | undefined;
  invite?: string | undefined;
}

type Outcome = { waiting: true } | { waiting: false; secret: string; expiresAt: number };

/** Whether the operator's rules let someone in uninvited: a verified address of a domain, or a group. */
export function isAdmitted(claims: Claims): boolean {
  const { OAUTH_ALLOWED_DOMAINS = [], OAUTH_ALLOWED_GROUPS = [] } = env();
  const domain = claims.emailVerified ? claims.email?.split("@").at(-1) : undefined;
  if (domain && OAUTH_ALLOWED_DOMAINS.some((allowed) => allowed.toLowerCase() === domain)) return true;
  return claims.groups.some((group) => OAUTH_ALLOWED_GROUPS.includes(group));
}

/** `viewer`, or the highest role that one of the person's groups is mapped to. */
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
    // Without an address there is none to show; nothing depends on it.
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

/** An invited identity that was known before: as a removed person's or a request's it may move, as a member's not. */
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
  if (!admitted && users.countWaiting(tx, organisation.id) >= MOST_REQUESTS) {
    throw new AppError("unavailable", "Too many requests are waiting for approval. Ask an admin.");
  }
  const at = now();
  const row: users.UserRow = {
    id: newId("usr"),
    orgId: organisation.id,
    ...factsOf(claims),
    role: admitted ? roleFor(claims) : "viewer",
    status: admitted ? "active" : "waiting",
    passwordHash: null,
    createdAt: at,
    updatedAt: at,
  };
  users.insertUser(tx, row);
  linkIdentity(tx, claims, row.id);
  append(
    tx,
    { userId: row.id, orgId: row.orgId },
    {
      action: admitted ? "member.joined" : "member.requested",
      resource: `user:${row.id}`,
      details: admitted ? { method: "oauth", role: row.role } : { method: "oauth" },
    },
  );
  return row;
}

/** A person who was here before. The rules may admit now who had to wait. */
function recognise(tx: Db, row: users.UserRow, claims: Claims): users.UserRow {
  if (row.status === "removed") {
    throw new AppError("forbidden", "You don't have access to this console. Ask an admin for an invitation.");
  }
  if (row.status === "suspended") throw new AppError("forbidden", SUSPENDED);
  const admitted = row.status === "waiting" && isAdmitted(claims);
  const facts = factsOf(claims);
  const change = {
    // A local account's address is what its password belongs to: the provider can't change it.
    ...(row.passwordHash ? {} : { email: facts.email || row.email }),
    firstName: row.firstName ?? facts.firstName,
    lastName: row.lastName ?? facts.lastName,
    profileImageUrl: facts.profileImageUrl,
    ...(admitted ? { status: "active" as const, role: roleFor(claims) } : {}),
  };
  users.updateUser(tx, row.id, { ...change, updatedAt: now() });
  if (admitted) {
    append(
      tx,
      { userId: row.id, orgId: row.orgId },
      {
        action: "member.joined",
        resource: `user:${row.id}`,
        details: { method: "oauth", role: roleFor(claims) },
      },
    );
  }
  return { ...row, ...change };
}

/**
 * Signs in a person with a verified OAuth identity. Identities are matched by issuer and subject, never by email
 * address; links bind a new identity to the set-up's owner or to an invited member; everyone else is admitted by the
 * operator's rules or waits for an admin.
 * @throws AppError `forbidden` for removed people and before set-up, `gone` for links that have ended
 */
export function signInWithIdentity(claims: Claims, flow: OAuthFlow, meta: SignInMeta): Outcome {
  const { outcome, joined } = transaction((tx) => {
    const known = users.findIdentity(tx, claims.issuer, claims.subject);
    let user: users.UserRow;
    if (flow.setup && !users.hasUsers(tx)) {
      user = setUpWith(flow.setup, factsOf(claims), (inner, owner) => linkIdentity(inner, claims, owner.id));
    } else if (flow.invite) user = joinInvited(tx, flow.invite, claims);
    else if (known) user = recognise(tx, known, claims);
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
