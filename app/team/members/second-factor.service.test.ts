import { eq } from "drizzle-orm";
import { TOTP } from "otpauth";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { reportRemovedFactors } from "~/team/notifications/notify.service.server";
import { orgSettings, users } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { listMembers } from "./member.service.server";
import { hashPassword } from "./password.server";
import {
  beginAuthenticator,
  completeAuthenticator,
  createRecoveryCodes,
  findAuthenticatorSetup,
  readSecondFactor,
  removeAuthenticator,
  removeSecondFactor,
} from "./second-factor.service.server";
import { mustSetUpFactor, readSession, startSession } from "./session.service.server";
import { changePassword, finishSignIn, signIn } from "./sign-in.service.server";

const PASSWORD = "correct horse battery";
const meta = { address: "192.0.2.1" };
const credentials = { email: "member@example.org", password: PASSWORD };
const STEP = 30_000;
let passwordHash: string;
let store: ReturnType<typeof openTestDatabase>;
let at: number;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(() => {
  store = openTestDatabase();
  at = 1_800_000_000_000;
  setClock(() => at);
  db().update(users).set({ passwordHash }).run();
});

afterEach(() => {
  setClock();
  store.close();
});

const codeAt = (secret: string, timestamp: number) => new TOTP({ secret }).generate({ timestamp });
const wrongAt = (secret: string) => {
  const right = [-1, 0, 1].map((step) => codeAt(secret, at + step * STEP));
  return ["000000", "111111", "222222", "333333"].find((code) => !right.includes(code)) ?? "";
};
const actions = () => rawDatabase().prepare("select action from audit_entries order by seq").pluck().all();

function actorOfNewSession() {
  const { secret } = startSession("usr_member", {});
  const actor = readSession(secret)?.actor;
  if (!actor) throw new Error("The session is over.");
  return { actor, secret };
}

async function setUp() {
  const { actor, secret: session } = actorOfNewSession();
  const { secret, uri } = await beginAuthenticator(actor, PASSWORD, meta);
  const { recoveryCodes } = completeAuthenticator(actor, codeAt(secret, at), meta);
  // The code that confirmed is used up.
  at += STEP;
  return { actor, session, secret, uri, recoveryCodes };
}

function requireFactors() {
  db()
    .insert(orgSettings)
    .values({ orgId: ORG_ID, key: "security", value: { requireSecondFactor: true }, updatedAt: at })
    .run();
}

describe("the setup", () => {
  it("takes the password and the app's first code, and ends other sessions", async () => {
    const other = startSession("usr_member", {});
    const { actor, uri, secret, session, recoveryCodes } = await setUp();
    expect(uri).toContain(`otpauth://totp/Test:member%40example.org?issuer=Test&secret=${secret}`);
    expect(readSession(session)).toBeDefined();
    expect(readSession(other.secret)).toBeUndefined();
    expect(readSecondFactor(actor)).toEqual({ authenticator: true, recoveryCodes: 10, passkeys: [] });
    expect(recoveryCodes[0]).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
    expect(actions()).toEqual(["user.authenticator_added"]);
    expect(findAuthenticatorSetup(actor)).toBeUndefined();
    const stored = JSON.stringify(rawDatabase().prepare("select * from authenticators").all());
    const hashes = JSON.stringify(rawDatabase().prepare("select * from recovery_codes").all());
    expect(stored).not.toContain(secret);
    expect(hashes).not.toContain(recoveryCodes[0]?.replaceAll("-", ""));
    await expect(beginAuthenticator(actor, PASSWORD, meta)).rejects.toMatchObject({ code: "conflict" });
  });

  it("refuses a wrong password, a wrong code, another session, and a late code", async () => {
    const { actor } = actorOfNewSession();
    await expect(beginAuthenticator(actor, "not this one", meta)).rejects.toMatchObject({
      fields: { password: [expect.any(String)] },
    });
    const { secret } = await beginAuthenticator(actor, PASSWORD, meta);
    expect(() => completeAuthenticator(actor, wrongAt(secret), meta)).toThrowError(
      expect.objectContaining({ code: "invalid" }),
    );
    expect(() => completeAuthenticator(actorOfNewSession().actor, codeAt(secret, at), meta)).toThrowError(
      expect.objectContaining({ code: "gone" }),
    );
    expect(findAuthenticatorSetup(actor)?.qr.path).toMatch(/^M0 0h1v1h-1z/);
    at += 15 * 60_000;
    expect(() => completeAuthenticator(actor, codeAt(secret, at), meta)).toThrowError(
      expect.objectContaining({ code: "gone" }),
    );
    expect(readSecondFactor(actor).authenticator).toBe(false);
  });

  it("is forbidden to API tokens and closed to accounts without a password", async () => {
    const token = { ...store.actors.member, kind: "token" as const };
    await expect(beginAuthenticator(token, PASSWORD, meta)).rejects.toMatchObject({ code: "forbidden" });
    db().update(users).set({ passwordHash: null }).where(eq(users.id, "usr_member")).run();
    await expect(beginAuthenticator(store.actors.member, PASSWORD, meta)).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("signing in", () => {
  it("waits for the code after the password, and what it has meanwhile is no session", async () => {
    const { secret } = await setUp();
    const half = await signIn(credentials, meta);
    expect(half.needsCode).toBe(true);
    expect(readSession(half.secret)).toBeUndefined();
    const session = finishSignIn(half.secret, codeAt(secret, at), meta);
    expect(readSession(session.secret)?.actor.userId).toBe("usr_member");
    expect(JSON.parse(lastDetails())).toEqual({ method: "password", secondFactor: "code" });
  });

  it("accepts codes one step off, and each code once", async () => {
    const { secret } = await setUp();
    const [now, late] = [codeAt(secret, at), codeAt(secret, at - STEP)];
    const first = await signIn(credentials, meta);
    finishSignIn(first.secret, `${now.slice(0, 3)} ${now.slice(3)}`, meta);
    const second = await signIn(credentials, meta);
    for (const used of [now, late]) expectRefused(second.secret, used);
    at += 2 * STEP;
    expectRefused(second.secret, now);
    expect(finishSignIn(second.secret, codeAt(secret, at + STEP), meta).secret).toBeTruthy();
    // An earlier step than the last one used.
    const third = await signIn(credentials, meta);
    expectRefused(third.secret, codeAt(secret, at));
  });

  it("accepts each recovery code once", async () => {
    const { actor, recoveryCodes } = await setUp();
    const [code = ""] = recoveryCodes;
    finishSignIn((await signIn(credentials, meta)).secret, code.toLowerCase().replaceAll("-", " "), meta);
    expectRefused((await signIn(credentials, meta)).secret, code);
    expect(readSecondFactor(actor).recoveryCodes).toBe(9);
  });

  it("refuses a half sign-in that finished, took too long, moved, or whose password changed", async () => {
    const { actor, secret } = await setUp();
    const expired = { code: "unauthenticated" };
    const half = await signIn(credentials, meta);
    expectRefused(half.secret, codeAt(secret, at), { address: "198.51.100.7" }, expired);
    finishSignIn(half.secret, codeAt(secret, at), meta);
    at += STEP;
    expectRefused(half.secret, codeAt(secret, at), meta, expired);
    const slow = await signIn(credentials, meta);
    at += 10 * 60_000;
    expectRefused(slow.secret, codeAt(secret, at), meta, expired);
    const old = await signIn(credentials, meta);
    await changePassword(actor, { currentPassword: PASSWORD, newPassword: "another fine password" }, meta);
    expectRefused(old.secret, codeAt(secret, at), meta, expired);
    expectRefused("a secret that nobody was given", codeAt(secret, at), meta, expired);
  });

  it("limits guesses, and the right password in between clears none of them", async () => {
    const { secret } = await setUp();
    for (let count = 0; count < 10; count += 1) {
      expectRefused((await signIn(credentials, meta)).secret, wrongAt(secret));
    }
    await expect(signIn(credentials, meta)).rejects.toMatchObject({ code: "rate_limited" });
    expect(actions().filter((action) => action === "user.login_failed")).toHaveLength(10);
  });
});

function lastDetails(): string {
  return rawDatabase().prepare("select details from audit_entries order by seq desc").pluck().get() as string;
}

function expectRefused(secret: string, code: string, from = meta, error: object = { code: "invalid" }) {
  expect(() => finishSignIn(secret, code, from)).toThrowError(expect.objectContaining(error));
}

describe("turning it off and new recovery codes", () => {
  it("take the password or a code", async () => {
    const { actor, secret, recoveryCodes } = await setUp();
    await expect(removeAuthenticator(actor, "not this one", meta)).rejects.toMatchObject({
      fields: { proof: [expect.any(String)] },
    });
    await expect(removeAuthenticator(actor, wrongAt(secret), meta)).rejects.toMatchObject({
      fields: { proof: [expect.any(String)] },
    });
    const renewed = await createRecoveryCodes(actor, PASSWORD, meta);
    expect(renewed.recoveryCodes).toHaveLength(10);
    expect(renewed.recoveryCodes).not.toContain(recoveryCodes[0]);
    await removeAuthenticator(actor, codeAt(secret, at), meta);
    expect(readSecondFactor(actor)).toEqual({ authenticator: false, recoveryCodes: 0, passkeys: [] });
    expect((await signIn(credentials, meta)).needsCode).toBe(false);
    expect(actions()).toContain("user.recovery_codes_renewed");
    expect(actions()).toContain("user.authenticator_removed");
  });

  it("is refused where a second factor is required", async () => {
    const { actor } = await setUp();
    requireFactors();
    await expect(removeAuthenticator(actor, PASSWORD, meta)).rejects.toThrow("requires a second factor");
  });
});

describe("a required second factor", () => {
  it("leaves a session of a password alone no more than the setup", async () => {
    const before = startSession("usr_member", {});
    requireFactors();
    expect(readSession(before.secret)).toBeUndefined();
    expect(mustSetUpFactor(before.secret)).toBe(true);
    const actor = readSession(before.secret, { mayLackFactor: true })?.actor;
    if (!actor) throw new Error("The session is over.");
    const { secret } = await beginAuthenticator(actor, PASSWORD, meta);
    completeAuthenticator(actor, codeAt(secret, at), meta);
    expect(readSession(before.secret)).toBeDefined();
  });

  it("isn't asked of accounts of the provider", () => {
    requireFactors();
    expect(readSession(startSession("usr_member", { isTwoFactor: true }).secret)).toBeDefined();
    db().update(users).set({ passwordHash: null }).where(eq(users.id, "usr_viewer")).run();
    expect(readSession(startSession("usr_viewer", {}).secret)).toBeDefined();
  });
});

describe("removal by an admin", () => {
  it("ends the member's sessions and tells them", async () => {
    const { session } = await setUp();
    const stop = reportRemovedFactors();
    expect(listMembers(store.actors.admin).filter((one) => one.hasSecondFactor)).toMatchObject([
      { id: "usr_member" },
    ]);
    removeSecondFactor(store.actors.admin, "usr_member");
    stop();
    expect(readSession(session)).toBeUndefined();
    expect((await signIn(credentials, meta)).needsCode).toBe(false);
    expect(actions()).toContain("member.second_factor_removed");
    const { notifications } = pageNotifications(store.actors.member, NotificationQuery.parse({}));
    expect(notifications).toMatchObject([{ title: "An admin removed your second factor" }]);
  });

  it("is refused for oneself, for owners by admins, to members and tokens, and without a second factor", () => {
    const codeOf = (actor: typeof store.actors.owner, id: string) => {
      try {
        removeSecondFactor(actor, id);
        return "ok";
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    const { admin, member, owner } = store.actors;
    expect(codeOf(admin, "usr_admin")).toBe("forbidden");
    expect(codeOf(admin, "usr_owner")).toBe("forbidden");
    expect(codeOf(member, "usr_viewer")).toBe("forbidden");
    expect(codeOf({ ...owner, kind: "token" }, "usr_viewer")).toBe("forbidden");
    expect(codeOf(owner, "usr_viewer")).toBe("conflict");
  });
});
