import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { deleteInvitation } from "./invitation.repo.server";
import type { PasswordInput } from "./members.schema";
import { assertGoodPassword, hashPassword, verifyPassword } from "./password.server";
import * as sessions from "./session.repo.server";
import { requirePerson } from "./session.service.server";
import { countAttempt } from "./sign-in-limit.server";
import * as users from "./user.repo.server";

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
