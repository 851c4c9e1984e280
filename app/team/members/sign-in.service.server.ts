import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import { append } from "~/platform/audit/audit.service.server";
import type { SignInInput } from "./members.schema";
import { hashPassword, verifyPassword } from "./password.server";
import { type SessionMeta, startSession } from "./session.service.server";
import { type CountedAttempt, countAttempt } from "./sign-in-limit.server";
import * as users from "./user.repo.server";

/** Session data and the request's id. */
export interface SignInMeta extends SessionMeta {
  address: string;
  requestId?: string;
}

function recordFailure(user: users.UserRow | undefined, meta: SignInMeta, reason: string): void {
  transaction((tx) => {
    const organisation = users.readOrganisation(tx);
    if (!organisation) return;
    // Unknown emails aren't stored: people type passwords into that field.
    append(
      tx,
      {
        userId: STRANGER,
        orgId: organisation.id,
        address: meta.address,
        ...(meta.requestId ? { requestId: meta.requestId } : {}),
      },
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
      {
        userId: user.id,
        orgId: user.orgId,
        address: meta.address,
        ...(meta.requestId ? { requestId: meta.requestId } : {}),
      },
      { action: "user.login", resource: `user:${user.id}`, details: { method } },
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
    if (!ok || !current || current.passwordHash !== user?.passwordHash) return "refused";
    if (current.status === "suspended") return "suspended";
    if (current.status !== "active") return "refused";
    if (fresh) users.updateUser(tx, current.id, { passwordHash: fresh, updatedAt: now() });
    counted.succeed(current.id);
    return completeSignIn(current, meta, "password");
  };
  const signedIn = withReserve(user, () => transaction(complete));
  if (signedIn === "suspended") {
    recordFailure(user, meta, "suspended");
    throw new AppError("forbidden", SUSPENDED);
  }
  if (signedIn === "refused") return failSignIn(user, meta, ok ? "not active" : "wrong password");
  return signedIn;
}

function failSignIn(user: users.UserRow | undefined, meta: SignInMeta, reason: string): never {
  recordFailure(user, meta, user ? reason : "unknown account");
  throw new AppError("unauthenticated", "Incorrect email or password");
}
