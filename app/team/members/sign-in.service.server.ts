import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import { append } from "~/platform/audit/audit.service.server";
import { deleteInvitation } from "./invitation.repo.server";
import { actorOf } from "./member.service.server";
import type { PasswordInput, SignInInput } from "./members.schema";
import { assertGoodPassword, hashPassword, verifyPassword } from "./password.server";
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

function recordFailure(user: users.UserRow | undefined, meta: SignInMeta, reason: string): void {
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

/** Starts and records a session after authentication. @returns the cookie's secret and the absolute end in ms */
export function completeSignIn(user: users.UserRow, meta: SignInMeta, method: "password" | "oauth") {
  return transaction((tx) => {
    append(
      tx,
      { ...actorOf(user), ...requestOf(meta) },
      {
        action: "user.login",
        resource: `user:${user.id}`,
        details: { method },
      },
    );
    return startSession(user.id, meta);
  });
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

function countOrReport(email: string, user: users.UserRow | undefined, meta: SignInMeta): CountedAttempt {
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
export async function signIn(input: SignInInput, meta: SignInMeta) {
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
    counted.succeed(current.id);
    return completeSignIn(current, meta, "password");
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
 * Changes the password and ends other sessions and reset links. Attempts are limited as at sign-in.
 * @returns how many sessions ended
 * @throws AppError `invalid` with fields, `rate_limited`, `conflict` without a password
 */
export async function changePassword(
  actor: Actor,
  input: PasswordInput,
  meta: { address: string },
): Promise<number> {
  requirePerson(actor);
  const user = users.findUser(db(), actor.orgId, actor.userId);
  if (!user?.passwordHash) {
    throw new AppError(
      "conflict",
      "You sign in through your organization's provider. Change your password there.",
    );
  }
  assertGoodPassword(input.newPassword, user.email, "newPassword");
  const attempt = countAttempt({ email: user.email, address: meta.address, userId: user.id });
  if (!(await verifyPassword(user.passwordHash, input.currentPassword)).ok) {
    const message = "Incorrect current password";
    throw new AppError("invalid", message, { fields: { currentPassword: [message] } });
  }
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
