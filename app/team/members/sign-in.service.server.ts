import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret, newSecret } from "~/core/ids.server";
import { kept } from "~/core/process.server";
import { addressGroup } from "~/core/rate-limiter.server";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import { append } from "~/platform/audit/audit.service.server";
import { consumeCode } from "./authenticator.server";
import { deleteInvitation } from "./invitation.repo.server";
import { actorOf } from "./member.service.server";
import type { PasswordInput, SignInInput } from "./members.schema";
import { oneTimeStore } from "./one-time-store.server";
import { assertGoodPassword, hashPassword, verifyPassword } from "./password.server";
import * as factors from "./second-factor.repo.server";
import * as sessions from "./session.repo.server";
import { requirePerson, type SessionMeta, startSession } from "./session.service.server";
import { type CountedAttempt, countAttempt } from "./sign-in-limit.server";
import * as users from "./user.repo.server";

export interface SignInMeta extends SessionMeta {
  address: string;
  requestId?: string;
}

const requestOf = ({ address, requestId }: SignInMeta) => ({
  address,
  ...(requestId ? { requestId } : {}),
});

export function recordFailure(user: users.UserRow | undefined, meta: SignInMeta, reason: string): void {
  transaction((tx) => {
    const organisation = users.readOrganisation(tx);
    if (!organisation) return;
    // Unknown emails aren't stored: people type passwords into that field.
    append(
      tx,
      { userId: STRANGER, orgId: organisation.id, ...requestOf(meta) },
      {
        action: "user.login_failed",
        resource: user ? `user:${user.id}` : "user:unknown",
        details: { reason },
      },
    );
  });
}

type SecondFactorUsed = Exclude<ReturnType<typeof consumeCode>, undefined>;

/** A finished sign-in. */
export interface NewSession {
  /** Of the cookie. */
  secret: string;
  /** In ms. */
  expiresAt: number;
}

/** With `needsCode`, the secret is no session: `finishSignIn` asks for it and the code. */
export interface SignInStep extends NewSession {
  needsCode: boolean;
}

/** Starts and records a session after authentication. */
export function completeSignIn(
  user: users.UserRow,
  meta: SignInMeta,
  method: "password" | "oauth" | "passkey",
  secondFactor?: SecondFactorUsed,
): NewSession {
  return transaction((tx) => {
    append(
      tx,
      { ...actorOf(user), ...requestOf(meta) },
      {
        action: "user.login",
        resource: `user:${user.id}`,
        details: { method, ...(secondFactor ? { secondFactor } : {}) },
      },
    );
    const isTwoFactor = method !== "password" || secondFactor !== undefined;
    return startSession(user.id, { ...meta, isTwoFactor });
  });
}

/** How long the code may take, in ms. */
const CODE_TIME = 10 * MINUTE;

interface HalfSignIn {
  orgId: string;
  userId: string;
  /** A change of the password ends it. */
  passwordHash: string | null;
  address: string;
}

const halfSignIns = oneTimeStore<HalfSignIn>("half sign-ins", CODE_TIME);

/** After the right password: a session, or the wait for the code of the authenticator app. */
export function passwordAccepted(user: users.UserRow, meta: SignInMeta): SignInStep {
  if (!factors.hasAuthenticator(db(), user.id))
    return { ...completeSignIn(user, meta, "password"), needsCode: false };
  const secret = newSecret();
  const { id: userId, orgId, passwordHash } = user;
  halfSignIns.put(hashSecret(secret), { orgId, userId, passwordHash, address: addressGroup(meta.address) });
  return { secret, expiresAt: now() + CODE_TIME, needsCode: true };
}

/** The person whose code is awaited; undefined if the wait is over, or began at another network address. */
function findHalfSignIn(secret: string, address: string): users.UserRow | undefined {
  const half = halfSignIns.peek(hashSecret(secret));
  if (!half || half.address !== addressGroup(address)) return undefined;
  const user = users.findUser(db(), half.orgId, half.userId);
  return user?.status === "active" && user.passwordHash === half.passwordHash ? user : undefined;
}

export const awaitsCode = (secret: string, address: string): boolean =>
  findHalfSignIn(secret, address) !== undefined;

/**
 * The second step of a sign-in: a code of the app or a recovery code, each accepted once. Attempts are limited as
 * those with a password.
 *
 * @throws AppError `unauthenticated` if it has to begin again, `invalid` with fields for a wrong code, `rate_limited`
 */
export function finishSignIn(secret: string, code: string, meta: SignInMeta): NewSession {
  const user = findHalfSignIn(secret, meta.address);
  if (!user) throw new AppError("unauthenticated", "Your sign-in took too long. Sign in again.");
  const counted = countOrReport(user.email, user, meta);
  const session = transaction((tx) => {
    const used = consumeCode(tx, user.id, code);
    if (!used) return undefined;
    halfSignIns.take(hashSecret(secret));
    counted.succeed(user.id);
    return completeSignIn(user, meta, "password", used);
  });
  if (session) return session;
  recordFailure(user, meta, "wrong code");
  const message = "This code is wrong or was used before. Enter the one that your app shows now.";
  throw new AppError("invalid", message, { fields: { code: [message] } });
}

/** Shown only after authentication. */
export const SUSPENDED = "Your account is suspended. Ask an admin to resume it.";

interface ExcessAttempt {
  /** Undefined if the email belongs to nobody. */
  account: { id: string; email: string } | undefined;
  address: string;
}

const reports = () => kept("excess sign-ins", () => new Set<(attempt: ExcessAttempt) => void>());

/** Calls the listener for every attempt beyond the limit. @returns a function to stop */
export function onExcessAttempt(listener: (attempt: ExcessAttempt) => void): () => void {
  reports().add(listener);
  return () => void reports().delete(listener);
}

export function countOrReport(
  email: string,
  user: users.UserRow | undefined,
  meta: SignInMeta,
): CountedAttempt {
  try {
    return withReserve(user, () => countAttempt({ email, address: meta.address, userId: user?.id }));
  } catch (error) {
    const account = user ? { id: user.id, email: user.email } : undefined;
    for (const report of reports()) report({ account, address: meta.address });
    throw error;
  }
}

/**
 * Wrong passwords and unknown emails take the same time.
 * @throws AppError `unauthenticated`, `forbidden` if suspended, or `rate_limited` with `retryAfter`
 */
export async function signIn(input: SignInInput, meta: SignInMeta): Promise<SignInStep> {
  const user = users.findPasswordUser(db(), input.email);
  const counted = countOrReport(input.email, user, meta);
  const { ok, outdated } = await verifyPassword(user?.passwordHash, input.password);
  const fresh = ok && outdated ? await hashPassword(input.password) : undefined;
  const complete = (tx: Db) => {
    // Reread: the account may have changed while hashing.
    const current = user && users.findUser(tx, user.orgId, user.id);
    if (!ok) return "wrong password";
    if (!current || current.passwordHash !== user?.passwordHash) return "not active";
    if (current.status !== "active") return current.status === "suspended" ? "suspended" : "not active";
    if (fresh) users.updateUser(tx, current.id, { passwordHash: fresh, updatedAt: now() });
    const step = passwordAccepted(current, meta);
    // Wrong codes keep counting: a password that is known must not clear them.
    if (step.needsCode) counted.forgive();
    else counted.succeed(current.id);
    return step;
  };
  const signedIn = withReserve(user, () => transaction(complete));
  if (typeof signedIn !== "string") return signedIn;
  recordFailure(user, meta, user ? signedIn : "unknown account");
  throw signedIn === "suspended"
    ? new AppError("forbidden", SUSPENDED)
    : new AppError("unauthenticated", "Incorrect email or password");
}

/** False for OAuth-only users. */
export function hasPassword(actor: Actor): boolean {
  return Boolean(users.findUser(db(), actor.orgId, actor.userId)?.passwordHash);
}

/**
 * Proves that the person at the session knows its password. Attempts are limited as at sign-in.
 * @param field of the form, for a wrong one
 * @throws AppError `invalid` with fields, `rate_limited`, `conflict` without a password
 */
export async function provePassword(
  actor: Actor,
  password: string,
  meta: { address: string },
  field = "password",
): Promise<{ user: users.UserRow; attempt: CountedAttempt }> {
  requirePerson(actor);
  const user = users.findUser(db(), actor.orgId, actor.userId);
  if (!user?.passwordHash) {
    throw new AppError(
      "conflict",
      "You sign in through your organization's provider. Change how you sign in there.",
    );
  }
  const attempt = countAttempt({ email: user.email, address: meta.address, userId: user.id });
  if ((await verifyPassword(user.passwordHash, password)).ok) return { user, attempt };
  const message = field === "currentPassword" ? "Incorrect current password" : "Incorrect password";
  throw new AppError("invalid", message, { fields: { [field]: [message] } });
}

/**
 * Changes the password and ends other sessions and reset links.
 * @returns how many sessions ended
 * @throws AppError `invalid` with fields, `rate_limited`, `conflict` without a password
 */
export async function changePassword(
  actor: Actor,
  input: PasswordInput,
  meta: { address: string },
): Promise<number> {
  requirePerson(actor);
  const { email = "" } = users.findUser(db(), actor.orgId, actor.userId) ?? {};
  assertGoodPassword(input.newPassword, email, "newPassword");
  const { user, attempt } = await provePassword(actor, input.currentPassword, meta, "currentPassword");
  const passwordHash = await hashPassword(input.newPassword);
  const ended = transaction((tx) => {
    const current = users.findUser(tx, actor.orgId, actor.userId);
    if (current?.status !== "active" || current.passwordHash !== user.passwordHash) {
      throw new AppError("conflict", "Your account changed in the meantime. Sign in again.");
    }
    attempt.succeed(user.id);
    users.updateUser(tx, user.id, { passwordHash, updatedAt: now() });
    deleteInvitation(tx, user.id);
    append(tx, actor, { action: "user.password_changed", resource: `user:${user.id}` });
    return sessions.deleteSessionsOf(tx, user.id, actor.sessionId);
  });
  accessChanged(user.id, { endedSessions: ended });
  return ended.length;
}
