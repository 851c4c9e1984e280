import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { addressGroup } from "~/core/rate-limiter.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { reportExcessSignIns } from "../notifications/notify.service.server";
import { hashPassword, setArgon2 } from "./password.server";
import { readSession } from "./session.service.server";
import { signIn } from "./sign-in.service.server";
import { countAttempt, sweepAttempts } from "./sign-in-limit.server";

const PASSWORD = "correct horse battery";
let store: ReturnType<typeof openTestDatabase>;
let at: number;
let hash: string;

beforeEach(async () => {
  store = openTestDatabase();
  at = 1_800_000_000_000;
  setClock(() => at);
  hash ??= await hashPassword(PASSWORD);
  db().update(users).set({ passwordHash: hash }).where(eq(users.id, "usr_owner")).run();
});

afterEach(() => {
  setArgon2(true);
  setClock();
  store.close();
});

const tryWith = (password: string, email = "owner@example.org", address = "192.0.2.1") =>
  signIn({ email, password }, { address });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
const trail = () =>
  rawDatabase()
    .prepare("select action, user_id, resource, details from audit_entries order by seq")
    .all() as {
    action: string;
    user_id: string;
    resource: string;
    details: string;
  }[];

it("reports a suspension only after authentication", async () => {
  db().update(users).set({ status: "suspended" }).where(eq(users.id, "usr_owner")).run();
  await expect(tryWith(PASSWORD)).rejects.toThrow("Your account is suspended");
  await expect(tryWith("wrong")).rejects.toThrow("Incorrect email or password");
  expect(trail().map(({ details }) => JSON.parse(details).reason)).toEqual(["suspended", "wrong password"]);
});

describe("signing in", () => {
  it("starts a session and is audited", async () => {
    const { secret } = await tryWith(PASSWORD);
    expect(readSession(secret)?.actor).toMatchObject({ userId: "usr_owner", role: "owner" });
    expect(trail()).toMatchObject([{ action: "user.login", user_id: "usr_owner" }]);
  });

  it("rejects wrong passwords and unknown emails alike and stores neither", async () => {
    const wrong = await tryWith("hunter2-hunter2").catch((error: Error) => error.message);
    const unknown = await tryWith("hunter2-hunter2", "my-secret@example.org").catch(
      (error: Error) => error.message,
    );
    expect(wrong).toBe(unknown);
    expect(trail()).toMatchObject([
      { action: "user.login_failed", user_id: "anonymous", resource: "user:usr_owner" },
      { action: "user.login_failed", user_id: "anonymous", resource: "user:unknown" },
    ]);
    const everything = JSON.stringify([
      trail(),
      rawDatabase().prepare("select * from sign_in_failures").all(),
    ]);
    expect(everything).not.toMatch(/hunter2|my-secret/);
  });

  it.each(["removed", "invited", "waiting"] as const)("rejects an account that is %s", async (status) => {
    db().update(users).set({ status }).where(eq(users.id, "usr_owner")).run();
    expect(await codeOf(tryWith(PASSWORD))).toBe("unauthenticated");
  });

  it("rehashes passwords with old parameters", async () => {
    setArgon2(false);
    db()
      .update(users)
      .set({ passwordHash: await hashPassword(PASSWORD) })
      .where(eq(users.id, "usr_owner"))
      .run();
    setArgon2(true);
    await tryWith(PASSWORD);
    const stored = db().select().from(users).where(eq(users.id, "usr_owner")).get()?.passwordHash;
    expect(stored).toMatch(/^\$argon2id/);
    expect(await codeOf(tryWith(PASSWORD))).toBe("ok");
  });
});

describe("the sign-in limit", () => {
  it("blocks the eleventh attempt at an account from one address, also in parallel, until the window ends", async () => {
    const stopReports = reportExcessSignIns();
    const codes = await Promise.all(Array.from({ length: 14 }, () => codeOf(tryWith("wrong password"))));
    expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(10);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(4);
    expect(await codeOf(tryWith(PASSWORD))).toBe("rate_limited");
    const { notifications } = pageNotifications(store.actors.admin, NotificationQuery.parse({}));
    expect(notifications.map(({ event, title }) => [event, title])).toEqual([
      ["security", "Repeated failed sign-ins"],
    ]);
    stopReports();
    expect(await codeOf(tryWith(PASSWORD, "owner@example.org", "198.51.100.7"))).toBe("ok");
    at += 15 * 60_000;
    expect(await codeOf(tryWith(PASSWORD))).toBe("ok");
  });

  it("returns Retry-After", () => {
    for (let count = 0; count < 10; count += 1)
      countAttempt({ email: "a@example.org", address: "192.0.2.1" });
    at += 60_000;
    expect(() => countAttempt({ email: "a@example.org", address: "192.0.2.1" })).toThrowError(
      expect.objectContaining({ code: "rate_limited", retryAfter: 14 * 60 }),
    );
  });

  it("blocks one address that tries many accounts", () => {
    for (let count = 0; count < 50; count += 1) {
      countAttempt({ email: `user${count}@example.org`, address: "2001:db8::1" });
    }
    expect(() => countAttempt({ email: "new@example.org", address: "2001:db8::ffff" })).toThrow(/Too many/);
    expect(() => countAttempt({ email: "new@example.org", address: "2001:db8:0:1::1" })).not.toThrow();
  });

  it("blocks many addresses at one account, except those its owner used before", async () => {
    await tryWith(PASSWORD, "owner@example.org", "203.0.113.9");
    const hostile = (index: number) =>
      countAttempt({ email: "owner@example.org", address: `198.51.100.${index}`, userId: "usr_owner" });
    for (let index = 0; index < 50; index += 1) hostile(index);
    expect(() => hostile(60)).toThrow(/Too many/);
    expect(await codeOf(tryWith(PASSWORD, "owner@example.org", "203.0.113.9"))).toBe("ok");
  });

  it("is reset by a correct password, and old attempts are deleted", async () => {
    for (let count = 0; count < 9; count += 1) await codeOf(tryWith("wrong password"));
    expect(await codeOf(tryWith(PASSWORD))).toBe("ok");
    for (let count = 0; count < 9; count += 1) {
      expect(await codeOf(tryWith("wrong password"))).toBe("unauthenticated");
    }
    at += 91 * 24 * 60 * 60_000;
    sweepAttempts();
    expect(rawDatabase().prepare("select count(*) from sign_in_failures").pluck().get()).toBe(0);
    expect(rawDatabase().prepare("select count(*) from known_addresses").pluck().get()).toBe(0);
  });

  it.each([
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("counts %s as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
