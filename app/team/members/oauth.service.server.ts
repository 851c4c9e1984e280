import { accessChanged } from "~/core/access-events.server";
import type { Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { type AuditActor, append } from "~/platform/audit/audit.service.server";
import { atLeast } from "~/platform/rights/authorization.server";
import * as invitations from "./invitation.repo.server";
import { consumeInvitation } from "./invitation.service.server";
import { actorOf, addUser, changeStatus, isLastOwner, setRole, suspendWithin } from "./member.service.server";
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

/** Why a known identity isn't let in, as the sign-in page says it. */
export const REFUSALS = {
  suspended: SUSPENDED,
  lapsed: "None of your groups has access to this console any more. Ask an admin.",
  groups: "The sign-in provider left out your groups, so your access can't be checked. Ask an admin.",
  removed: "You don't have access to this console. Ask an admin for an invitation.",
} as const;

export class SignInRefusal extends AppError {
  constructor(readonly reason: keyof typeof REFUSALS) {
    super("forbidden", REFUSALS[reason]);
  }
}

type Outcome = { waiting: true } | { waiting: false; secret: string; expiresAt: number };

/** Admission rules: a verified address of a domain, or a group. */
export function isAdmitted(claims: Claims): boolean {
  const { OAUTH_ALLOWED_DOMAINS = [], OAUTH_ALLOWED_GROUPS = [] } = env();
  const domain = claims.emailVerified ? claims.email?.split("@").at(-1) : undefined;
  if (domain && OAUTH_ALLOWED_DOMAINS.some((allowed) => allowed.toLowerCase() === domain)) return true;
  return claims.groups.some((group) => OAUTH_ALLOWED_GROUPS.includes(group));
}

/** The highest role mapped to the person's groups; null if none is. */
export function mappedRole(claims: Claims): Role | null {
  const map = env().OAUTH_ROLE_MAP ?? {};
  let best: Role | null = null;
  for (const group of claims.groups) {
    const mapped = Object.hasOwn(map, group) ? map[group] : undefined;
    if (mapped && (best === null || atLeast(mapped, best))) best = mapped;
  }
  return best;
}

interface Followed {
  user: users.UserRow;
  endedSessions: string[];
  lapsed?: true;
}

/**
 * Applies the operator's rules of now. The map decides the role of whoever is in one of its groups, or was at the
 * previous sign-in; an owner only if it maps a group to owners. A rule takes back the access that a rule gave. The last
 * owner keeps both.
 * @throws SignInRefusal if the groups that decide were left out
 */
function followRules(tx: Db, user: users.UserRow, claims: Claims): Followed {
  const identity = users.findIdentityRow(tx, claims.issuer, claims.subject);
  if (!identity || isLastOwner(tx, user)) return { user, endedSessions: [] };
  const { OAUTH_ALLOWED_DOMAINS, OAUTH_ALLOWED_GROUPS, OAUTH_ROLE_MAP } = env();
  const hasRules = Boolean(OAUTH_ALLOWED_DOMAINS?.length || OAUTH_ALLOWED_GROUPS?.length);
  const isLapsed = hasRules && identity.admission === "rule" && !isAdmitted(claims);
  if (claims.groupsLeftOut && (isLapsed || identity.mappedRole)) throw new SignInRefusal("groups");
  const system: AuditActor = { userId: "system", orgId: user.orgId };
  const means = { means: "rules" } as const;
  if (isLapsed) {
    users.updateIdentity(tx, identity, { admission: "lapsed" });
    return { user, endedSessions: suspendWithin(tx, system, user, means), lapsed: true };
  }
  const mapped = mappedRole(claims);
  if (mapped !== identity.mappedRole) users.updateIdentity(tx, identity, { mappedRole: mapped });
  const roles = Object.values(OAUTH_ROLE_MAP ?? {});
  const isOutside = roles.length === 0 || (user.role === "owner" && !roles.includes("owner"));
  const role = isOutside ? user.role : (mapped ?? (identity.mappedRole ? "viewer" : user.role));
  if (role === user.role) return { user, endedSessions: [] };
  return { user: { ...user, role }, endedSessions: setRole(tx, system, user, role, means) };
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

function linkIdentity(tx: Db, claims: Claims, userId: string, admission: "manual" | "rule" = "manual"): void {
  const { issuer, subject } = claims;
  users.insertIdentity(tx, { issuer, subject, userId, admission, createdAt: now() });
}

/** A known identity may move from a removed user or a request, but not from a member. */
function joinInvited(tx: Db, secret: string, claims: Claims): users.UserRow {
  const holder = users.findIdentity(tx, claims.issuer, claims.subject);
  const facts = factsOf(claims);
  const user = consumeInvitation(tx, secret, { passwordHash: null }, "oauth");
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
    role: (admitted && mappedRole(claims)) || "viewer",
    status: admitted ? "active" : "waiting",
  });
  linkIdentity(tx, claims, row.id, admitted ? "rule" : "manual");
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

/** A known user; changed rules may admit them now. @throws SignInRefusal */
function updateKnownUser(tx: Db, row: users.UserRow, claims: Claims): users.UserRow {
  if (row.status === "removed") throw new SignInRefusal("removed");
  const identity = users.findIdentityRow(tx, claims.issuer, claims.subject);
  const isLapsed = row.status === "suspended" && identity?.admission === "lapsed";
  if (row.status === "suspended" && !isLapsed) throw new SignInRefusal("suspended");
  const isAdmittedNow = (row.status === "waiting" || isLapsed) && isAdmitted(claims);
  if (isLapsed && !isAdmittedNow) throw new SignInRefusal("lapsed");
  const joins = row.status === "waiting" && isAdmittedNow;
  const facts = factsOf(claims);
  const change = {
    // A password belongs to its address, which the provider can't change.
    ...(row.passwordHash ? {} : { email: facts.email || row.email }),
    firstName: row.firstName ?? facts.firstName,
    lastName: row.lastName ?? facts.lastName,
    profileImageUrl: facts.profileImageUrl,
    ...(isAdmittedNow ? { status: "active" as const } : {}),
    ...(joins ? { role: mappedRole(claims) ?? ("viewer" as const) } : {}),
  };
  users.updateUser(tx, row.id, { ...change, updatedAt: now() });
  const next = { ...row, ...change };
  if (isAdmittedNow && identity) users.updateIdentity(tx, identity, { admission: "rule" });
  if (joins)
    append(tx, actorOf(row), {
      action: "member.joined",
      resource: `user:${row.id}`,
      details: { method: "oauth", role: next.role },
    });
  if (isLapsed) changeStatus(tx, { userId: "system", orgId: row.orgId }, row, "active", { means: "rules" });
  return next;
}

function findOrJoin(tx: Db, claims: Claims, { setup, invite }: OAuthFlow): users.UserRow {
  if (setup && !users.hasUsers(tx))
    return setUpWith(setup, factsOf(claims), (inner, owner) => linkIdentity(inner, claims, owner.id));
  if (invite) return joinInvited(tx, invite, claims);
  const existing = users.findIdentity(tx, claims.issuer, claims.subject);
  return existing ? updateKnownUser(tx, existing, claims) : joinNew(tx, claims);
}

/**
 * Signs in a verified identity, matched by issuer and subject, never by email. Links bind new identities to the owner
 * or an invitation; others are admitted by rule or wait for an admin. Each sign-in follows the rules of now.
 * @throws AppError `forbidden` for removed and suspended users, who no longer match a rule, and before setup; `gone` for
 * expired links
 */
export function signInWithIdentity(claims: Claims, flow: OAuthFlow, meta: SignInMeta): Outcome {
  const { outcome, changed } = transaction((tx) => {
    const found = findOrJoin(tx, claims, flow);
    if (found.status !== "active") return { outcome: { waiting: true } as Outcome, changed: undefined };
    const { user, endedSessions, lapsed } = followRules(tx, found, claims);
    return {
      // Refused after the commit, which keeps the suspension.
      outcome: lapsed ? undefined : { waiting: false as const, ...completeSignIn(user, meta, "oauth") },
      changed: flow.invite || endedSessions.length > 0 || lapsed ? { id: user.id, endedSessions } : undefined,
    };
  });
  if (changed) accessChanged(changed.id, { endedSessions: changed.endedSessions });
  if (!outcome) throw new SignInRefusal("lapsed");
  return outcome;
}
