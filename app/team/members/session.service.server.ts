import { accessChanged, sessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret, newId, newSecret } from "~/core/ids.server";
import { writeIfPossible } from "~/core/storage-faults.server";
import { append } from "~/platform/audit/audit.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { deleteOldInvitations } from "./invitation.repo.server";
import type { SessionInfo } from "./members.schema";
import * as repo from "./session.repo.server";
import { sweepAttempts } from "./sign-in-limit.server";

/** Sessions end after 30 days, even if active. */
const ABSOLUTE_LIFE = 30 * 24 * 60 * MINUTE;
/** Longest session timeout that the setting allows, in ms. */
const MAX_IDLE = 86_400_000;
const MAX_SESSIONS = 50;

const idleTimeout = (orgId: string) => readSetting(orgId, "security.sessionTimeout") * 1000;

export interface SessionMeta {
  userAgent?: string | undefined;
  address?: string | undefined;
  /** For the provider's end_session. */
  idToken?: string | undefined;
  /** The browser's earlier session, which ends. */
  previous?: string | undefined;
  /** Whether the sign-in took more than a password. */
  isTwoFactor?: boolean;
}

/** Always a new id, against session fixation. @returns the cookie's secret, and the absolute end in ms */
export function startSession(userId: string, meta: SessionMeta): { secret: string; expiresAt: number } {
  const secret = newSecret();
  const at = now();
  const expiresAt = at + ABSOLUTE_LIFE;
  transaction((tx) => {
    if (meta.previous) repo.deleteSessionBySecret(tx, hashSecret(meta.previous));
    for (const old of repo.listSessionsOf(tx, userId).slice(MAX_SESSIONS - 1)) {
      repo.deleteSession(tx, userId, old.id);
    }
    repo.insertSession(tx, {
      id: newId("ses"),
      secretHash: hashSecret(secret),
      userId,
      model: null,
      idToken: meta.idToken ?? null,
      userAgent: meta.userAgent?.slice(0, 300) ?? null,
      address: meta.address?.slice(0, 64) ?? null,
      createdAt: at,
      lastSeenAt: at,
      expiresAt,
      isTwoFactor: meta.isTwoFactor ?? false,
    });
  });
  return { secret, expiresAt };
}

/**
 * Undefined if the session has ended, or if it began with a password alone where the organization requires more.
 *
 * @param options.mayLackFactor for the page where such a person sets up a second factor
 */
export function readSession(
  secret: string,
  { mayLackFactor = false } = {},
): { actor: Actor; sessionId: string } | undefined {
  const row = repo.findSession(db(), hashSecret(secret));
  if (row?.status !== "active") return undefined;
  if (!mayLackFactor && lacksFactor(row)) return undefined;
  const at = now();
  if (at >= row.expiresAt || at - row.lastSeenAt >= idleTimeout(row.orgId)) {
    writeIfPossible(() => transaction((tx) => repo.deleteSession(tx, row.userId, row.id)));
    return undefined;
  }
  if (at - row.lastSeenAt >= MINUTE)
    writeIfPossible(() => transaction((tx) => repo.updateSession(tx, row.id, { lastSeenAt: at })));
  return {
    actor: { kind: "user", userId: row.userId, orgId: row.orgId, role: row.role, sessionId: row.id },
    sessionId: row.id,
  };
}

/** An account without a password is its provider's business. */
function lacksFactor(row: { isTwoFactor: boolean; hasPassword: boolean; orgId: string }): boolean {
  return !row.isTwoFactor && row.hasPassword && readSetting(row.orgId, "security.requireSecondFactor");
}

/** Whether the session's person has to set up a second factor before anything else. */
export function mustSetUpFactor(secret: string): boolean {
  return !readSession(secret) && readSession(secret, { mayLackFactor: true }) !== undefined;
}

/** Running answers continue. @returns the id token for the provider's end_session */
export function endSession(
  secret: string,
  request: { requestId?: string; address?: string } = {},
): { idToken?: string } {
  const row = repo.findSession(db(), hashSecret(secret));
  if (!row) return {};
  transaction((tx) => {
    repo.deleteSession(tx, row.userId, row.id);
    append(
      tx,
      { userId: row.userId, orgId: row.orgId, ...request },
      { action: "user.logout", resource: `user:${row.userId}` },
    );
  });
  sessionEnded(row.id);
  return row.idToken ? { idToken: row.idToken } : {};
}

export function endAllSessions(actor: Actor): number {
  requirePerson(actor);
  const ended = transaction((tx) => {
    const ids = repo.deleteSessionsOf(tx, actor.userId);
    append(tx, actor, {
      action: "user.logout",
      resource: `user:${actor.userId}`,
      details: { everywhere: true, sessions: ids.length },
    });
    return ids;
  });
  accessChanged(actor.userId, { endedSessions: ended });
  return ended.length;
}

export function endOwnSession(actor: Actor, id: string): void {
  requirePerson(actor);
  transaction((tx) => {
    if (!repo.deleteSession(tx, actor.userId, id)) {
      throw new AppError("not_found", "This session has already ended.");
    }
    append(tx, actor, {
      action: "user.logout",
      resource: `user:${actor.userId}`,
      details: { session: id },
    });
  });
  accessChanged(actor.userId, { endedSessions: [id] });
}

export function listOwnSessions(actor: Actor): SessionInfo[] {
  return repo.listSessionsOf(db(), actor.userId).map((row) => ({
    id: row.id,
    current: row.id === actor.sessionId,
    userAgent: row.userAgent,
    address: row.address,
    createdAt: new Date(row.createdAt).toISOString(),
    lastSeenAt: new Date(row.lastSeenAt).toISOString(),
  }));
}

/** Does nothing for API tokens. */
export function setSessionModel(actor: Actor, model: string | null): void {
  const id = actor.sessionId;
  if (id) transaction((tx) => repo.updateSession(tx, id, { model }));
}

export function getSessionModel(actor: Actor): string | undefined {
  return actor.sessionId ? (repo.readSessionRow(db(), actor.sessionId)?.model ?? undefined) : undefined;
}

/** Deletes expired sessions, links and attempts. @returns how many sessions */
export function sweepSessions(): number {
  return transaction((tx) => {
    deleteOldInvitations(tx, oldestKept(0));
    sweepAttempts();
    return repo.deleteStaleSessions(tx, { expiresAt: oldestKept(0), lastSeenAt: oldestKept(MAX_IDLE) });
  });
}

/** A leaked token must not lock out its owner or outlive itself. @throws AppError `forbidden` */
export function requirePerson(actor: Actor): void {
  if (actor.kind === "user") return;
  throw new AppError("forbidden", "An API token can't do this. Sign in to do it.");
}
