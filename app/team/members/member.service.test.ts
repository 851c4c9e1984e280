import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onAccessChanged } from "~/core/access-events.server";
import type { Role } from "~/core/actor";
import { db, rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { asOfNow } from "~/platform/rights/current-role.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { removeMember } from "../../../tests/support/members";
import { readInvitation, renewInvitation } from "./invitation.service.server";
import {
  admitMember,
  changeRole,
  currentUser,
  declineMember,
  listMembers,
  listRecipients,
  resumeMember,
  suspendMember,
  updateProfile,
} from "./member.service.server";
import { readSession, startSession } from "./session.service.server";
import { createToken, readToken } from "./token.service.server";

let store: ReturnType<typeof openTestDatabase>;
let notified: string[];
let endedSessions: string[];
let stop: () => void;

beforeEach(() => {
  store = openTestDatabase();
  notified = [];
  endedSessions = [];
  stop = onAccessChanged((userId, scope) => {
    notified.push(userId);
    endedSessions.push(...(scope.endedSessions ?? []));
  });
});

afterEach(() => {
  stop();
  store.close();
});

const actions = () => rawDatabase().prepare("select action from audit_entries order by seq").pluck().all();
const setStatus = (id: string, status: "waiting" | "removed") =>
  db().update(users).set({ status }).where(eq(users.id, id)).run();

it("hands out the recipients of a permission's notifications by id and email only", () => {
  const permission = "settings.manage";
  const admin = { id: "usr_admin", email: "admin@example.org" };
  expect(listRecipients(db(), "org_test", { permission, userIds: ["usr_admin", "usr_viewer"] })).toEqual([
    admin,
  ]);
});

describe("the profile", () => {
  it("shows the user and accepts a new name", () => {
    expect(currentUser(store.actors.viewer)).toEqual({
      id: "usr_viewer",
      firstName: "viewer",
      lastName: null,
      email: "viewer@example.org",
      role: "viewer",
      profileImageUrl: null,
      version: expect.any(String),
    });
    const changed = updateProfile(store.actors.viewer, { firstName: "Ada", lastName: "Lovelace" });
    expect(changed).toMatchObject({ firstName: "Ada", lastName: "Lovelace" });
    expect(actions()).toEqual(["user.updated"]);
  });

  it("isn't overwritten unseen by a form that was opened before", () => {
    const { version } = currentUser(store.actors.viewer);
    const saved = updateProfile(store.actors.viewer, { firstName: "Ada", lastName: "King" }, version);
    const entered = { firstName: "Ada", lastName: "Lovelace" };
    expect(() => updateProfile(store.actors.viewer, entered, version)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining("differs in: Last name."),
      }),
    );
    expect(currentUser(store.actors.viewer)).toEqual(saved);
    expect(updateProfile(store.actors.viewer, entered, saved.version).lastName).toBe("Lovelace");
  });

  it("is saved without a conflict after another change of the account", () => {
    const { version } = currentUser(store.actors.viewer);
    db()
      .update(users)
      .set({ updatedAt: Date.now() + 1000, profileImageUrl: "/face.png" })
      .run();
    const entered = { firstName: "Ada", lastName: "Lovelace" };
    expect(updateProfile(store.actors.viewer, entered, version)).toMatchObject(entered);
  });
});

describe("the members' list", () => {
  it.each(["viewer", "member"] as const)("is forbidden to a %s", (role) => {
    expect(() => listMembers(store.actors[role])).toThrow(/admins and owners/);
  });

  it("contains members and requests but no removed users", () => {
    setStatus("usr_viewer", "waiting");
    setStatus("usr_member", "removed");
    startSession("usr_admin", {});
    const members = listMembers(store.actors.admin);
    expect(members.map(({ id, status }) => [id, status])).toEqual([
      ["usr_admin", "active"],
      ["usr_owner", "active"],
      ["usr_viewer", "waiting"],
    ]);
    expect(members[0]?.lastSeenAt).toMatch(/^20/);
  });
});

describe("changing a role", () => {
  it("ends sessions and stronger tokens and notifies open streams", () => {
    const { secret } = startSession("usr_admin", {});
    const strong = createToken(store.actors.admin, { name: "a", role: "admin", scopes: ["keys.manage"] });
    const weak = createToken(store.actors.admin, { name: "b", role: "viewer", scopes: ["screens.read"] });
    expect(changeRole(store.actors.owner, "usr_admin", "member").role).toBe("member");
    expect(readSession(secret)).toBeUndefined();
    expect(readToken(strong.token)).toBeUndefined();
    expect(readToken(weak.token)?.role).toBe("viewer");
    expect(notified).toEqual(["usr_admin"]);
    expect(actions()).toContain("member.role_changed");
  });

  it.each([
    ["admin", "usr_member", "owner", /owner/],
    ["admin", "usr_owner", "member", /owner/],
    ["admin", "usr_admin", "owner", /owner/],
    ["member", "usr_member", "admin", /admin/],
    ["member", "usr_viewer", "viewer", /admin/],
  ] as const)("is forbidden: %s makes %s %s", (role, id, next: Role, message) => {
    expect(() => changeRole(store.actors[role], id, next)).toThrow(message);
    expect(actions()).toEqual([]);
  });

  it("never leaves the console without an owner", () => {
    expect(() => changeRole(store.actors.owner, "usr_owner", "admin")).toThrow(/last owner/);
    expect(() => removeMember(store.actors.owner, "usr_owner")).toThrow(/last owner/);
    changeRole(store.actors.owner, "usr_admin", "owner");
    expect(changeRole(store.actors.owner, "usr_owner", "admin").role).toBe("admin");
  });

  it("counts only active owners", () => {
    changeRole(store.actors.owner, "usr_admin", "owner");
    setStatus("usr_admin", "removed");
    expect(() => removeMember(store.actors.owner, "usr_owner")).toThrow(/last owner/);
  });

  it("requires a member of the organization", () => {
    expect(() => changeRole(store.actors.owner, "usr_unknown", "viewer")).toThrow(/Member not found/);
    expect(() => changeRole({ ...store.actors.owner, orgId: "org_other" }, "usr_viewer", "admin")).toThrow(
      /Member not found/,
    );
  });

  it("is forbidden to tokens, as is admitting", () => {
    const token = { ...store.actors.owner, kind: "token" as const, scopes: ["members.manage"] };
    expect(() => changeRole(token, "usr_viewer", "member")).toThrow(/API token can't/);
    setStatus("usr_viewer", "waiting");
    expect(() => admitMember(token, "usr_viewer", "member")).toThrow(/API token can't/);
    expect(actions()).toEqual([]);
  });

  it("ends an earlier link, whose creator may lack the right to create it now", () => {
    const { secret } = renewInvitation(store.actors.admin, "usr_member");
    changeRole(store.actors.owner, "usr_member", "member");
    expect(readInvitation(secret).id).toBe("usr_member");
    changeRole(store.actors.owner, "usr_member", "owner");
    expect(() => readInvitation(secret)).toThrowError(expect.objectContaining({ code: "gone" }));
  });
});

describe("removing a member", () => {
  it("ends their sessions and tokens", () => {
    const { secret } = startSession("usr_member", {});
    const { token } = createToken(store.actors.member, { name: "a", role: "member", scopes: ["chat.use"] });
    removeMember(store.actors.admin, "usr_member");
    expect(readSession(secret)).toBeUndefined();
    expect(readToken(token)).toBeUndefined();
    expect(notified).toEqual(["usr_member"]);
    expect(() => removeMember(store.actors.admin, "usr_member")).toThrow(/Member not found/);
  });

  it("requires an owner to remove an owner", () => {
    changeRole(store.actors.owner, "usr_viewer", "owner");
    expect(() => removeMember(store.actors.admin, "usr_viewer")).toThrow(/owner/);
    removeMember(store.actors.owner, "usr_viewer");
  });
});

describe("suspending a member", () => {
  it("ends sessions and blocks tokens until resumed", () => {
    const { actors } = store;
    const { secret } = startSession("usr_member", {});
    const sessionId = readSession(secret)?.sessionId;
    const { token } = createToken(actors.member, { name: "a", role: "member", scopes: ["chat.use"] });
    const link = renewInvitation(actors.admin, "usr_member").secret;
    notified = [];
    expect(suspendMember(actors.admin, "usr_member").status).toBe("suspended");
    expect(readSession(secret)).toBeUndefined();
    expect(readToken(token)).toBeUndefined();
    expect(() => readInvitation(link)).toThrow(/has expired/);
    expect(() => asOfNow(db(), actors.member)).toThrow(/access has ended/);
    expect([notified, endedSessions]).toEqual([["usr_member"], [sessionId]]);
    expect(() => suspendMember(actors.admin, "usr_member")).toThrow(/isn't active/);
    expect(() => renewInvitation(actors.admin, "usr_member")).toThrow(/Resume/);

    expect(resumeMember(actors.admin, "usr_member")).toMatchObject({ status: "active", role: "member" });
    expect(readSession(secret)).toBeUndefined();
    expect(readToken(token)).toMatchObject({ userId: "usr_member" });
    expect(() => resumeMember(actors.admin, "usr_member")).toThrow(/isn't suspended/);
    expect(actions().slice(-2)).toEqual(["member.suspended", "member.resumed"]);
    const { entries } = listAudit(actors.admin, { limit: 2 });
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [{ status: "suspended" }, { status: "active" }],
      [{ status: "active" }, { status: "suspended" }],
    ]);
  });

  it("requires an admin, or an owner for owners, and never applies to oneself or the last owner", () => {
    const { viewer, member, admin, owner } = store.actors;
    for (const actor of [viewer, member])
      expect(() => suspendMember(actor, "usr_viewer")).toThrow(/admins and owners/);
    expect(() => suspendMember(admin, "usr_owner")).toThrow(/Only an owner/);
    expect(() => suspendMember(admin, "usr_admin")).toThrow(/yourself/);
    expect(() => suspendMember({ ...admin, kind: "token" }, "usr_viewer")).toThrow(/API token/);
    changeRole(owner, "usr_admin", "owner");
    const second = { ...admin, role: "owner" as const };
    suspendMember(second, "usr_owner");
    expect(() => resumeMember(member, "usr_owner")).toThrow(/admins and owners/);
    // A suspended owner can't admit anyone.
    expect(() => changeRole(second, "usr_admin", "admin")).toThrow(/last owner/);
    expect(() => removeMember(second, "usr_admin")).toThrow(/last owner/);
    resumeMember(second, "usr_owner");
  });
});

describe("a request to join", () => {
  beforeEach(() => setStatus("usr_viewer", "waiting"));

  it("can be admitted with a role or declined", () => {
    expect(admitMember(store.actors.admin, "usr_viewer", "member")).toMatchObject({
      status: "active",
      role: "member",
    });
    expect(() => declineMember(store.actors.admin, "usr_viewer")).toThrow(/already answered/);
    setStatus("usr_member", "waiting");
    declineMember(store.actors.admin, "usr_member");
    expect(() => admitMember(store.actors.admin, "usr_member", "viewer")).toThrow(/Member not found/);
    expect(actions()).toEqual(["member.admitted", "member.declined"]);
  });

  it("requires an admin, or an owner to admit an owner", () => {
    expect(() => admitMember(store.actors.member, "usr_viewer", "viewer")).toThrow(/admin/);
    expect(() => declineMember(store.actors.member, "usr_viewer")).toThrow(/admin/);
    expect(() => admitMember(store.actors.admin, "usr_viewer", "owner")).toThrow(/owner/);
    expect(() => changeRole(store.actors.owner, "usr_viewer", "admin")).toThrow(/Admit/);
  });
});
