import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { readInvitation, renewInvitation } from "./invitation.service.server";
import { hashPassword } from "./password.server";
import { readSession, startSession } from "./session.service.server";
import { changePassword, hasPassword, signIn } from "./sign-in.service.server";

const meta = { address: "192.0.2.1" };
const change = { currentPassword: "correct horse battery", newPassword: "another fine password" };
let store: ReturnType<typeof openTestDatabase>;

beforeEach(async () => {
  store = openTestDatabase();
  const passwordHash = await hashPassword(change.currentPassword);
  db().update(users).set({ passwordHash }).where(eq(users.id, "usr_member")).run();
});

afterEach(() => store.close());

it("changes the password and signs out everywhere else", async () => {
  const here = startSession("usr_member", {});
  const there = startSession("usr_member", {});
  const actor = readSession(here.secret)?.actor ?? store.actors.viewer;
  expect(await changePassword(actor, change, meta)).toBe(1);
  expect(readSession(here.secret)).toBeDefined();
  expect(readSession(there.secret)).toBeUndefined();
  await expect(
    signIn({ email: "member@example.org", password: change.currentPassword }, meta),
  ).rejects.toMatchObject({ code: "unauthenticated" });
  expect(
    (await signIn({ email: "member@example.org", password: change.newPassword }, meta)).secret,
  ).toBeTruthy();
  expect(rawDatabase().prepare("select action from audit_entries order by seq").pluck().get()).toBe(
    "user.password_changed",
  );
});

it("ends an earlier reset link", async () => {
  const { secret } = renewInvitation(store.actors.admin, "usr_member");
  expect(readInvitation(secret).id).toBe("usr_member");
  await changePassword(store.actors.member, change, meta);
  expect(() => readInvitation(secret)).toThrowError(expect.objectContaining({ code: "gone" }));
});

it("rejects a wrong current password at its field and limits attempts", async () => {
  const wrong = { ...change, currentPassword: "not this one" };
  for (let count = 0; count < 10; count += 1) {
    await expect(changePassword(store.actors.member, wrong, meta)).rejects.toMatchObject({
      fields: { currentPassword: [expect.any(String)] },
    });
  }
  await expect(changePassword(store.actors.member, wrong, meta)).rejects.toMatchObject({
    code: "rate_limited",
  });
});

it("rejects the email address as a password", async () => {
  const poor = { ...change, newPassword: "member@example.org" };
  await expect(changePassword(store.actors.member, poor, meta)).rejects.toMatchObject({
    fields: { newPassword: [expect.any(String)] },
  });
});

it("is forbidden to API tokens and users without a password", async () => {
  await expect(changePassword({ ...store.actors.member, kind: "token" }, change, meta)).rejects.toMatchObject(
    { code: "forbidden" },
  );
  await expect(changePassword(store.actors.viewer, change, meta)).rejects.toMatchObject({ code: "conflict" });
  expect([hasPassword(store.actors.member), hasPassword(store.actors.viewer)]).toEqual([true, false]);
});
