import { accessChanged } from "~/core/access-events.server";
import { type Actor, ROLES, type Role, type TokenGuardrails } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY, MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret, newId, newSecret } from "~/core/ids.server";
import { writeIfPossible } from "~/core/storage-faults.server";
import { append } from "~/platform/audit/audit.service.server";
import { permissions } from "~/platform/catalogue/permissions";
import { atLeast, authorise, may, type Permission } from "~/platform/rights/authorization.server";
import { requirePerson } from "./session.service.server";
import * as repo from "./token.repo.server";
import type { ApiToken, NewApiToken, TokenInput, TokenScope } from "./tokens.schema";

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].minRole);

const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));

const PREFIX = "qd_";
const PREFIX_LENGTH = PREFIX.length + 6;
const MAX_TOKENS = 50;

function lowerRole(a: Role, b: Role): Role {
  return atLeast(a, b) ? b : a;
}

/**
 * The token's owner, limited to its scopes and the lesser role.
 * @returns undefined if it is unknown, expired or revoked, or its owner inactive
 */
export function readToken(secret: string): Actor | undefined {
  if (!secret.startsWith(PREFIX) || secret.length > 100) return undefined;
  const row = repo.findToken(db(), hashSecret(secret));
  if (row?.ownerStatus !== "active") return undefined;
  const { token } = row;
  const at = now();
  if (token.expiresAt !== null && at >= token.expiresAt) return undefined;
  if (at - (token.lastUsedAt ?? 0) >= MINUTE)
    writeIfPossible(() =>
      transaction((tx) => repo.updateToken(tx, token.id, { lastUsedAt: at }), { durable: false }),
    );
  return {
    kind: "token",
    userId: token.userId,
    orgId: token.orgId,
    role: lowerRole(token.role, row.ownerRole),
    scopes: token.scopes,
    tokenId: token.id,
    gateway: {
      models: token.models,
      requestsPerMinute: token.requestsPerMinute,
      guardrails: token.guardrails,
    },
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function toApiToken(row: repo.TokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    role: row.role,
    scopes: row.scopes,
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: iso(row.expiresAt),
    lastUsedAt: iso(row.lastUsedAt),
    models: row.models,
    requestsPerMinute: row.requestsPerMinute,
    guardrails: row.guardrails,
  };
}

export function scopesFor(role: Role): Permission[] {
  return SCOPES.filter((scope) => may({ role }, scope));
}

export const tokenScopes = (role: Role): TokenScope[] =>
  scopesFor(role).map((name) => ({ name, label: permissions[name].scope }));

function refuse(field: string, message: string): never {
  throw new AppError("invalid", message, { fields: { [field]: [message] } });
}

/** Null if it adds nothing to the organization's. */
function guardrailsOf({ guardrails }: TokenInput): TokenGuardrails | null {
  if (!guardrails) return null;
  const { maskPii, blocked, moderate } = guardrails;
  return maskPii || blocked !== "" || moderate ? guardrails : null;
}

/**
 * Returns the secret once.
 * @throws AppError `forbidden` for tokens, `invalid` for a role or scope above the actor's, `conflict` at 50 tokens
 */
export function createToken(actor: Actor, input: TokenInput): NewApiToken {
  requirePerson(actor);
  authorise(actor, "tokens.manage");
  const role = input.role ?? actor.role;
  if (!atLeast(actor.role, role)) refuse("role", "Choose a role that isn't higher than yours.");
  const grantable: string[] = scopesFor(role);
  const scopes = [...new Set(input.scopes ?? grantable)];
  const refused = scopes.filter((scope) => !grantable.includes(scope));
  if (refused.length > 0)
    refuse(
      "scopes",
      `The role ${role} doesn't include ${refused.join(", ")}. Choose a higher role or fewer permissions.`,
    );
  const secret = PREFIX + newSecret();
  const at = now();
  const row: repo.TokenRow = {
    id: newId("tok"),
    orgId: actor.orgId,
    userId: actor.userId,
    name: input.name,
    secretHash: hashSecret(secret),
    prefix: secret.slice(0, PREFIX_LENGTH),
    role,
    scopes,
    createdAt: at,
    expiresAt: input.expiresInDays ? at + input.expiresInDays * DAY : null,
    lastUsedAt: null,
    models: input.models ? [...new Set(input.models)] : null,
    requestsPerMinute: input.requestsPerMinute ?? null,
    guardrails: guardrailsOf(input),
  };
  transaction((tx) => {
    if (repo.countTokensOf(tx, actor.userId) >= MAX_TOKENS) {
      throw new AppError("conflict", `You can have at most ${MAX_TOKENS} API tokens. Revoke one first.`);
    }
    repo.insertToken(tx, row);
    append(tx, actor, {
      action: "api_token.created",
      resource: `api_token:${row.id}`,
      details: {
        name: row.name,
        role: row.role,
        scopes,
        ...(row.models ? { models: row.models } : {}),
        ...(row.requestsPerMinute ? { requestsPerMinute: row.requestsPerMinute } : {}),
        ...(row.guardrails ? { guardrails: true } : {}),
      },
    });
  });
  return { ...toApiToken(row), token: secret };
}

export function listTokens(actor: Actor): ApiToken[] {
  authorise(actor, "tokens.manage");
  return repo.listTokensOf(db(), actor.userId).map(toApiToken);
}

export function getToken(actor: Actor, id: string): ApiToken {
  const token = listTokens(actor).find((candidate) => candidate.id === id);
  if (!token) throw new AppError("not_found", "API token not found. It may have been revoked.");
  return token;
}

/** Ends a token and its running answers. @throws AppError `not_found` */
export function revokeToken(actor: Actor, id: string): void {
  authorise(actor, "tokens.manage");
  transaction((tx) => {
    const row = repo.deleteToken(tx, actor.userId, id);
    if (!row) throw new AppError("not_found", "API token not found. It may have been revoked.");
    append(tx, actor, {
      action: "api_token.revoked",
      resource: `api_token:${id}`,
      details: { name: row.name },
    });
  });
  accessChanged(actor.userId, { tokenId: id });
}

export function grantableRoles(role: Role): Role[] {
  return ROLES.filter((candidate) => atLeast(role, candidate));
}
