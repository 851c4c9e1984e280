import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { removeMember } from "../../../tests/support/members";
import {
  acceptWithPassword,
  createOwnerLink,
  invitationState,
  inviteMember,
  readInvitation,
  renewInvitation,
} from "./invitation.service.server";
import { listMembers } from "./member.service.server";
import { hasFactor, insertAuthenticator } from "./second-factor.repo.server";
import { readSession, startSession } from "./session.service.server";
import { signIn } from "./sign-in.service.server";

let store: ReturnType<typeof openTestDatabase>;

beforeEach(() => {
  store = openTestDatabase();
});

afterEach(() => {
  setClock();
  store.close();
});

const accepted = { firstName: "New", lastName: null, password: "correct horse battery" };
const invite = () => inviteMember(store.actors.admin, { email: "new@example.org", role: "member" });

it("creates a person at one time", () => {
  let time = Date.now();
  setClock(() => time++);
  const { id } = invite().member;
  const row = db().select().from(users).where(eq(users.id, id)).get();
  expect(row?.updatedAt).toBe(row?.createdAt);
});

it("admits an invited user once, with their own password", async () => {
  const { secret, member } = invite();
  expect(member).toMatchObject({ email: "new@example.org", role: "member", status: "invited", signIn: [] });
  expect(JSON.stringify(rawDatabase().prepare("select * from invitations").all())).not.toContain(secret);
  expect(await acceptWithPassword(secret, accepted)).toMatchObject({ status: "active", firstName: "New" });
  await expect(acceptWithPassword(secret, accepted)).rejects.toMatchObject({ code: "gone" });
  const session = await signIn(
    { email: "new@example.org", password: accepted.password },
    { address: "192.0.2.1" },
  );
  expect(readSession(session.secret)?.actor.role).toBe("member");
  expect(rawDatabase().prepare("select action from audit_entries order by seq").pluck().all()).toEqual([
    "member.invited",
    "member.joined",
    "user.login",
  ]);
});

it("shows inviter and role", () => {
  expect(invitationState(invite().secret)).toMatchObject({
    role: "member",
    invitedBy: "admin",
    problem: null,
  });
  expect(invitationState("unknown").problem).toContain("Ask an admin for a new one");
});

it("expires after seven days, on withdrawal and when a newer link is created", async () => {
  const first = invite();
  const second = renewInvitation(store.actors.admin, first.member.id);
  expect(() => readInvitation(first.secret)).toThrow(/has expired/);
  expect(readInvitation(second.secret).email).toBe("new@example.org");
  setClock(() => second.expiresAt);
  expect(() => readInvitation(second.secret)).toThrow(/has expired/);
  setClock();
  removeMember(store.actors.admin, first.member.id);
  expect(() => readInvitation(second.secret)).toThrow(/has expired/);
  expect(listMembers(store.actors.admin).map(({ email }) => email)).not.toContain("new@example.org");
});

it("lets a member set a new password and ends old sessions", async () => {
  const { secret: cookie } = startSession("usr_member", {});
  const { secret } = renewInvitation(store.actors.admin, "usr_member");
  expect(readSession(cookie)).toBeDefined();
  await acceptWithPassword(secret, accepted);
  expect(readSession(cookie)).toBeUndefined();
  const resource = "user:usr_member";
  expect(listAudit(store.actors.owner, { limit: 9 }).entries).toMatchObject([
    { action: "user.sign_in_replaced", resource, userId: "usr_member", details: { method: "password" } },
    {
      action: "member.link_created",
      resource,
      userId: "usr_admin",
      details: { email: "member@example.org", role: "member" },
    },
  ]);
});

it("resets a password within an hour, once, by a link that is stored as a hash", async () => {
  const { secret, expiresAt } = renewInvitation(store.actors.admin, "usr_member");
  expect(JSON.stringify(rawDatabase().prepare("select * from invitations").all())).not.toContain(secret);
  setClock(() => expiresAt - 1);
  expect(invitationState(secret)).toMatchObject({ email: "member@example.org", member: true });
  setClock(() => expiresAt);
  await expect(acceptWithPassword(secret, accepted)).rejects.toMatchObject({ code: "gone" });
  setClock();
  expect(expiresAt - Date.now()).toBeLessThanOrEqual(60 * 60_000);
  const again = renewInvitation(store.actors.admin, "usr_member").secret;
  await acceptWithPassword(again, accepted);
  await expect(acceptWithPassword(again, accepted)).rejects.toMatchObject({ code: "gone" });
});

it("sets no password for an account without an email address", async () => {
  db().update(users).set({ email: "" }).where(eq(users.id, "usr_member")).run();
  const { secret } = renewInvitation(store.actors.admin, "usr_member");
  await expect(acceptWithPassword(secret, accepted)).rejects.toThrow("no email address");
});

it("lets the operator make a link for an owner, by address or id, and for nobody else", async () => {
  const userId = "usr_owner";
  transaction((tx) => insertAuthenticator(tx, { userId, sealedSecret: "", lastStep: 0, createdAt: 0 }));
  const { secret } = createOwnerLink("Owner@example.org");
  expect(hasFactor(db(), userId)).toBe(false);
  expect(invitationState(secret)).toMatchObject({ role: "owner", invitedBy: null, member: true });
  await acceptWithPassword(secret, accepted);
  expect(listAudit(store.actors.owner, { limit: 9 }).entries).toMatchObject([
    { action: "user.sign_in_replaced", userId: "usr_owner" },
    { action: "member.link_created", userId: "system", resource: "user:usr_owner" },
    { action: "member.second_factor_removed", userId: "system", resource: "user:usr_owner" },
  ]);
  expect(createOwnerLink("usr_owner").member.email).toBe("owner@example.org");
  expect(() => createOwnerLink("admin@example.org")).toThrow("Name one of the owners:\n  owner@example.org");
  db().update(users).set({ email: "" }).where(eq(users.id, "usr_owner")).run();
  expect(() => createOwnerLink("usr_owner")).toThrow("no email address");
});

it("requires an owner for owners, rejects tokens and one's own account", () => {
  expect(() => renewInvitation(store.actors.admin, "usr_owner")).toThrow(/owner/);
  expect(() => inviteMember(store.actors.admin, { email: "x@example.org", role: "owner" })).toThrow(/owner/);
  expect(() => inviteMember(store.actors.member, { email: "x@example.org", role: "viewer" })).toThrow(
    /admin/,
  );
  expect(() => renewInvitation(store.actors.admin, "usr_admin")).toThrow(/your profile/);
  const token = { ...store.actors.owner, kind: "token" as const };
  expect(() => inviteMember(token, { email: "x@example.org", role: "viewer" })).toThrow(/API token/);
  expect(() => renewInvitation(token, "usr_member")).toThrow(/API token/);
});

it("rejects a member's address but accepts a removed user's", async () => {
  expect(() => inviteMember(store.actors.admin, { email: "viewer@example.org", role: "viewer" })).toThrow(
    /already/,
  );
  removeMember(store.actors.admin, "usr_viewer");
  const { member, secret } = inviteMember(store.actors.admin, {
    email: "viewer@example.org",
    role: "viewer",
  });
  expect(member.id).not.toBe("usr_viewer");
  await acceptWithPassword(secret, accepted);
  expect(
    db()
      .select({ id: users.id, status: users.status })
      .from(users)
      .all()
      .filter(({ id }) => id === "usr_viewer"),
  ).toEqual([{ id: "usr_viewer", status: "removed" }]);
});

it("rejects a weak password at its field", async () => {
  const { secret } = invite();
  await expect(
    acceptWithPassword(secret, { ...accepted, password: "new@example.org" }),
  ).rejects.toMatchObject({ code: "invalid", fields: { password: [expect.any(String)] } });
  expect(() => readInvitation(secret)).not.toThrow();
});
