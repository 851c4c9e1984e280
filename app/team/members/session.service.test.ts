import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { onAccessChanged } from "~/core/access-events.server";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { sessions, users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import {
  endAllSessions,
  endOwnSession,
  endSession,
  getSessionModel,
  listOwnSessions,
  readSession,
  setSessionModel,
  startSession,
  sweepSessions,
} from "./session.service.server";

let store: ReturnType<typeof openTestDatabase>;
let at: number;

beforeEach(() => {
  store = openTestDatabase();
  at = 1_800_000_000_000;
  setClock(() => at);
});

afterEach(() => {
  setClock();
  store.close();
});

const open = (meta = {}) => startSession("usr_member", meta);

it("returns its user, with a new secret each time and only the hash stored", () => {
  const first = open();
  const second = open();
  expect(first.secret).not.toBe(second.secret);
  expect(readSession(first.secret)?.actor).toMatchObject({
    kind: "user",
    userId: "usr_member",
    role: "member",
  });
  expect(JSON.stringify(rawDatabase().prepare("select * from sessions").all())).not.toContain(first.secret);
  expect(readSession("guess")).toBeUndefined();
});

it("ends the browser's earlier session", () => {
  const first = open();
  const second = open({ previous: first.secret });
  expect(readSession(first.secret)).toBeUndefined();
  expect(readSession(second.secret)).toBeDefined();
});

it("ends after an idle hour and is extended by requests", () => {
  const { secret } = open();
  for (let step = 0; step < 5; step += 1) {
    at += 59 * MINUTE;
    expect(readSession(secret)).toBeDefined();
  }
  at += 60 * MINUTE;
  expect(readSession(secret)).toBeUndefined();
  expect(db().select().from(sessions).all()).toEqual([]);
});

it("follows the setting sessionTimeout", () => {
  updateSettings(store.actors.admin, "security", { sessionTimeout: 300 });
  const { secret } = open();
  at += 5 * MINUTE;
  expect(readSession(secret)).toBeUndefined();
});

it("ends after 30 days even if active", () => {
  // The longest idle time there is, so that a look a day keeps the session from idling out first.
  updateSettings(store.actors.admin, "security", { sessionTimeout: 86_400 });
  const { secret, expiresAt } = open();
  expect(expiresAt - at).toBe(30 * 24 * 60 * MINUTE);
  while (at < expiresAt - 20 * 60 * MINUTE) {
    at += 20 * 60 * MINUTE;
    if (at < expiresAt) expect(readSession(secret)).toBeDefined();
  }
  at = expiresAt;
  expect(readSession(secret)).toBeUndefined();
});

it("updates its last-seen time at most once a minute", () => {
  const { secret } = open();
  const seen = () => db().select().from(sessions).get()?.lastSeenAt;
  const start = at;
  at += MINUTE - 1;
  readSession(secret);
  expect(seen()).toBe(start);
  at += 1;
  readSession(secret);
  expect(seen()).toBe(at);
});

it("has the current role, and ends for inactive users", () => {
  const { secret } = open();
  db().update(users).set({ role: "viewer" }).where(eq(users.id, "usr_member")).run();
  expect(readSession(secret)?.actor.role).toBe("viewer");
  db().update(users).set({ status: "removed" }).where(eq(users.id, "usr_member")).run();
  expect(readSession(secret)).toBeUndefined();
});

it("ends at sign-out, which is audited", () => {
  const { secret } = open({ idToken: "header.payload.mac" });
  expect(endSession(secret)).toEqual({ idToken: "header.payload.mac" });
  expect(readSession(secret)).toBeUndefined();
  expect(endSession(secret)).toEqual({});
  expect(rawDatabase().prepare("select action from audit_entries").pluck().all()).toEqual(["user.logout"]);
});

it("lists a user's own sessions and ends one or all", () => {
  const first = open({ userAgent: "Firefox", address: "192.0.2.1" });
  at += 1000;
  const second = open();
  const foreign = startSession("usr_viewer", {});
  const actor = readSession(second.secret)?.actor;
  if (!actor) throw new Error("no session");
  const sessions = listOwnSessions(actor);
  expect(sessions.map(({ current, userAgent }) => [current, userAgent])).toEqual([
    [true, null],
    [false, "Firefox"],
  ]);
  endOwnSession(actor, sessions[1]?.id ?? "");
  expect(readSession(first.secret)).toBeUndefined();
  const foreignId = readSession(foreign.secret)?.sessionId ?? "";
  expect(() => endOwnSession(actor, foreignId)).toThrow(AppError);
  const ownId = readSession(second.secret)?.sessionId;
  const notified: unknown[] = [];
  const stop = onAccessChanged((userId, scope) => notified.push([userId, scope]));
  expect(endAllSessions(actor)).toBe(1);
  stop();
  // Open streams learn of it.
  expect(notified).toEqual([["usr_member", { endedSessions: [ownId] }]]);
  expect(readSession(second.secret)).toBeUndefined();
  expect(readSession(foreign.secret)).toBeDefined();
});

it("forbids sign-out everywhere to API tokens", () => {
  expect(() => endAllSessions({ ...store.actors.owner, kind: "token" })).toThrow(/API token/);
});

it("keeps the chosen model", () => {
  const { secret } = open();
  const actor = readSession(secret)?.actor ?? store.actors.viewer;
  expect(getSessionModel(actor)).toBeUndefined();
  setSessionModel(actor, "gpt-4o");
  expect(getSessionModel(actor)).toBe("gpt-4o");
  setSessionModel(store.actors.viewer, "gpt-4o");
  expect(getSessionModel(store.actors.viewer)).toBeUndefined();
});

it("is deleted after it has ended", () => {
  const { expiresAt } = open();
  expect(sweepSessions()).toBe(0);
  at = expiresAt + 1;
  expect(sweepSessions()).toBe(1);
});

it("replaces the oldest of too many sessions", () => {
  const first = open();
  for (let count = 0; count < 50; count += 1) {
    at += 1;
    open();
  }
  expect(readSession(first.secret)).toBeUndefined();
  expect(db().select().from(sessions).all()).toHaveLength(50);
});
