import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { type Db, db, transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";
import { append } from "~/platform/audit/audit.service.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import {
  authenticatorUri,
  confirmAuthenticator,
  consumeCode,
  isAppCode,
  newAuthenticatorSecret,
  qrPath,
  renewRecoveryCodes,
} from "./authenticator.server";
import { assertMayGrant, requireMember } from "./member.service.server";
import { oneTimeStore } from "./one-time-store.server";
import * as repo from "./second-factor.repo.server";
import type { AuthenticatorSetup, Passkey, RecoveryCodes, SecondFactor } from "./second-factor.schema";
import * as sessions from "./session.repo.server";
import { requirePerson } from "./session.service.server";
import { provePassword } from "./sign-in.service.server";
import { countAttempt } from "./sign-in-limit.server";
import * as users from "./user.repo.server";

interface Meta {
  address: string;
}

const SETUP_TIME = 15 * MINUTE;

/** Secrets that wait for their first code, by session. */
const setups = oneTimeStore<{ userId: string; secret: string }>("authenticator setups", SETUP_TIME);

export const requiresSecondFactor = (orgId: string): boolean =>
  readSetting(orgId, "security.requireSecondFactor");

const toPasskey = (row: repo.PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  createdAt: new Date(row.createdAt).toISOString(),
  lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
});

export function readSecondFactor({ userId }: Actor): SecondFactor {
  return {
    authenticator: repo.hasAuthenticator(db(), userId),
    recoveryCodes: repo.countRecoveryCodes(db(), userId),
    passkeys: repo.listPasskeys(db(), userId).map(toPasskey),
  };
}

/**
 * Changes how a person signs in, within one transaction; their other sessions end, as after a change of the password.
 * @param isProof whether the change proves a second factor, which the present session then has
 */
export function changeFactors<T>(
  actor: Actor,
  change: (tx: Db, user: users.UserRow) => T,
  { isProof = false } = {},
): T {
  requirePerson(actor);
  const { result, ended } = transaction((tx) => {
    const user = users.findUser(tx, actor.orgId, actor.userId);
    if (user?.status !== "active") {
      throw new AppError("conflict", "Your account changed in the meantime. Sign in again.");
    }
    const result = change(tx, user);
    if (isProof && actor.sessionId) sessions.updateSession(tx, actor.sessionId, { isTwoFactor: true });
    return { result, ended: sessions.deleteSessionsOf(tx, user.id, actor.sessionId) };
  });
  accessChanged(actor.userId, { endedSessions: ended });
  return result;
}

/** @throws AppError `conflict` with an authenticator, and those of `provePassword` */
export async function beginAuthenticator(
  actor: Actor,
  password: string,
  meta: Meta,
): Promise<AuthenticatorSetup> {
  const { user, attempt } = await provePassword(actor, password, meta);
  attempt.succeed(user.id);
  if (repo.hasAuthenticator(db(), user.id)) {
    throw new AppError("conflict", "You already have an authenticator app. Remove it first.");
  }
  const secret = newAuthenticatorSecret();
  setups.put(actor.sessionId ?? "", { userId: user.id, secret });
  return toSetup(user, secret);
}

function toSetup(user: users.UserRow, secret: string): AuthenticatorSetup {
  const issuer = users.readOrganisation(db())?.name ?? "Quarterdeck";
  return { secret, uri: authenticatorUri(secret, issuer, user.email) };
}

/** The setup that waits for its first code in this session, with its QR code. */
export function findAuthenticatorSetup(actor: Actor) {
  const setup = actor.sessionId ? setups.peek(actor.sessionId) : undefined;
  const user = users.findUser(db(), actor.orgId, actor.userId);
  if (!user || setup?.userId !== user.id) return undefined;
  const { secret, uri } = toSetup(user, setup.secret);
  return { secret, qr: qrPath(uri) };
}

/**
 * Ends the setup by the app's first code.
 * @returns recovery codes, for once
 * @throws AppError `invalid` with fields for a wrong code, `gone` if the setup took too long, `rate_limited`
 */
export function completeAuthenticator(actor: Actor, code: string, { address }: Meta): RecoveryCodes {
  requirePerson(actor);
  const key = actor.sessionId ?? "";
  const setup = setups.peek(key);
  const user = users.findUser(db(), actor.orgId, actor.userId);
  if (!user || setup?.userId !== user.id) {
    throw new AppError("gone", "The setup took too long. Start it again.");
  }
  const attempt = countAttempt({ email: user.email, address, userId: user.id });
  const recoveryCodes = changeFactors(
    actor,
    (tx) => {
      if (repo.hasAuthenticator(tx, user.id)) {
        throw new AppError("conflict", "You already have an authenticator app. Remove it first.");
      }
      if (!confirmAuthenticator(tx, user.id, setup.secret, code)) throw wrongCode("code");
      attempt.succeed(user.id);
      append(tx, actor, { action: "user.authenticator_added", resource: `user:${user.id}` });
      return renewRecoveryCodes(tx, user.id);
    },
    { isProof: true },
  );
  setups.take(key);
  return { recoveryCodes };
}

function wrongCode(field: string): AppError {
  const message = "This code is wrong or was used before. Enter the one that your app shows now.";
  return new AppError("invalid", message, { fields: { [field]: [message] } });
}

/** Proves by the password, or a code of the app. @throws AppError `invalid` with fields, `rate_limited` */
async function proveSelf(actor: Actor, proof: string, meta: Meta): Promise<void> {
  if (!isAppCode(proof)) {
    const { user, attempt } = await provePassword(actor, proof, meta, "proof");
    return attempt.succeed(user.id);
  }
  requirePerson(actor);
  const { id, email } = users.findUser(db(), actor.orgId, actor.userId) ?? { id: "", email: "" };
  const attempt = countAttempt({ email, address: meta.address, userId: id });
  if (!transaction((tx) => consumeCode(tx, id, proof))) throw wrongCode("proof");
  attempt.succeed(id);
}

/** @param proof the password, or a code of the app */
export async function removeAuthenticator(actor: Actor, proof: string, meta: Meta): Promise<void> {
  await proveSelf(actor, proof, meta);
  changeFactors(actor, (tx, { id, orgId }) => {
    if (!repo.hasAuthenticator(tx, id)) {
      throw new AppError("conflict", "You have no authenticator app. Reload the page.");
    }
    if (requiresSecondFactor(orgId) && !repo.hasPasskey(tx, id)) {
      throw new AppError("conflict", "Your organization requires a second factor. Add a passkey first.");
    }
    repo.deleteAuthenticator(tx, id);
    append(tx, actor, { action: "user.authenticator_removed", resource: `user:${id}` });
  });
}

/** Replaces the recovery codes. @param proof the password, or a code of the app */
export async function createRecoveryCodes(actor: Actor, proof: string, meta: Meta): Promise<RecoveryCodes> {
  await proveSelf(actor, proof, meta);
  const recoveryCodes = changeFactors(actor, (tx, { id }) => {
    if (!repo.hasAuthenticator(tx, id)) {
      throw new AppError("conflict", "Set up an authenticator app first.");
    }
    append(tx, actor, { action: "user.recovery_codes_renewed", resource: `user:${id}` });
    return renewRecoveryCodes(tx, id);
  });
  return { recoveryCodes };
}

type RemovalListener = (tx: Db, member: { id: string; orgId: string }) => void;

const listeners = () => kept("removed second factors", () => new Set<RemovalListener>());

/** Calls the listener in the transaction of a removal by an admin. @returns a function to stop */
export function onSecondFactorRemoved(listener: RemovalListener): () => void {
  listeners().add(listener);
  return () => void listeners().delete(listener);
}

/**
 * Removes a member's passkeys, authenticator app and recovery codes, for a lost device, and ends their sessions.
 * @throws AppError `forbidden` (also for tokens and oneself), `not_found`, `conflict` without a second factor
 */
export function removeSecondFactor(actor: Actor, id: string): void {
  requirePerson(actor);
  const ended = transaction((tx) => {
    const row = requireMember(tx, actor, id);
    assertMayGrant(actor, row.role);
    if (id === actor.userId) {
      throw new AppError("forbidden", "Remove your own second factor in your profile.");
    }
    if (!repo.hasAuthenticator(tx, id) && !repo.hasPasskey(tx, id)) {
      throw new AppError("conflict", "This member has no second factor. Reload the page.");
    }
    repo.deleteFactorsOf(tx, id);
    append(tx, actor, {
      action: "member.second_factor_removed",
      resource: `user:${id}`,
      details: { email: row.email },
    });
    for (const listener of listeners()) listener(tx, { id, orgId: row.orgId });
    return sessions.deleteSessionsOf(tx, id);
  });
  accessChanged(id, { endedSessions: ended });
}
