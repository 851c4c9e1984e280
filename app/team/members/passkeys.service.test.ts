import { eq } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { orgSettings, users } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { PasskeyDevice } from "../../../tests/support/passkey-device";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  offersPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from "./passkeys.service.server";
import { hashPassword } from "./password.server";
import { readSecondFactor } from "./second-factor.service.server";
import { readSession, startSession } from "./session.service.server";

const PASSWORD = "correct horse battery";
const meta = { address: "192.0.2.1" };
const ORIGIN = "https://console.example";
const place = { origin: ORIGIN, rpID: "console.example" };
let passwordHash: string;
let store: ReturnType<typeof openTestDatabase>;
let at: number;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(() => {
  store = openTestDatabase({ PUBLIC_URL: ORIGIN });
  at = 1_800_000_000_000;
  setClock(() => at);
  db().update(users).set({ passwordHash }).run();
});

afterEach(() => {
  setClock();
  store.close();
});

const trail = () =>
  rawDatabase().prepare("select action, details from audit_entries order by seq").all() as {
    action: string;
    details: string;
  }[];

function newActor(userId = "usr_member") {
  const { secret } = startSession(userId, {});
  const actor = readSession(secret)?.actor;
  if (!actor) throw new Error("The session is over.");
  return actor;
}

async function add(device = new PasskeyDevice(), actor = newActor(), name = "Laptop") {
  const options = await beginPasskey(actor, { name, password: PASSWORD }, meta);
  const passkey = await addPasskey(actor, device.register({ ...place, challenge: options.challenge }));
  device.userHandle = options.user.id;
  return { device, actor, passkey, options };
}

const challengeOf = async (address = meta.address) => (await beginPasskeySignIn(address)).challenge;

async function signInBy(device: PasskeyDevice, change: Partial<Parameters<PasskeyDevice["sign"]>[0]> = {}) {
  return signInWithPasskey(device.sign({ ...place, challenge: await challengeOf(), ...change }), meta);
}

const refused = { code: "unauthenticated", message: expect.stringContaining("wasn't accepted") };

describe("adding", () => {
  it("takes the password, names the passkey, and ends other sessions", async () => {
    const other = startSession("usr_member", {});
    const { actor, passkey, options } = await add();
    expect(options).toMatchObject({
      rp: { id: "console.example", name: "Test" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    expect(passkey).toMatchObject({ name: "Laptop", lastUsedAt: null });
    expect(readSecondFactor(actor).passkeys).toEqual([passkey]);
    expect(readSession(other.secret)).toBeUndefined();
    expect(trail()).toMatchObject([{ action: "user.passkey_added", details: '{"name":"Laptop"}' }]);
    await expect(
      beginPasskey(actor, { name: "Phone", password: "not this one" }, meta),
    ).rejects.toMatchObject({ fields: { password: [expect.any(String)] } });
  });

  it("refuses a replayed or late challenge, another session's, another origin, and a locked device", async () => {
    const { device, actor, options } = await add();
    const register = (change: object) =>
      addPasskey(actor, new PasskeyDevice().register({ ...place, challenge: options.challenge, ...change }));
    const invalid = { code: "invalid" };
    await expect(register({})).rejects.toMatchObject(invalid);
    const begin = async () =>
      (await beginPasskey(actor, { name: "Phone", password: PASSWORD }, meta)).challenge;
    await expect(
      register({ challenge: await begin(), origin: "https://evil.example" }),
    ).rejects.toMatchObject(invalid);
    await expect(register({ challenge: await begin(), rpID: "evil.example" })).rejects.toMatchObject(invalid);
    await expect(register({ challenge: await begin(), isVerified: false })).rejects.toMatchObject(invalid);
    const challenge = await begin();
    await expect(
      addPasskey(newActor(), new PasskeyDevice().register({ ...place, challenge })),
    ).rejects.toMatchObject(invalid);
    const late = await begin();
    at += 5 * 60_000;
    await expect(register({ challenge: late })).rejects.toMatchObject(invalid);
    await expect(register({ challenge: await challengeOf() })).rejects.toMatchObject(invalid);
    await expect(
      addPasskey(actor, device.register({ ...place, challenge: await begin() })),
    ).rejects.toMatchObject({ code: "conflict" });
    await expect(addPasskey(actor, "{")).rejects.toMatchObject(invalid);
    await expect(addPasskey(actor, '{"id":"a"}')).rejects.toMatchObject(invalid);
  });
});

describe("signing in", () => {
  it("needs no email and counts as two factors", async () => {
    const { device, actor } = await add();
    db()
      .insert(orgSettings)
      .values({ orgId: ORG_ID, key: "security", value: { requireSecondFactor: true }, updatedAt: at })
      .run();
    const { secret } = await signInBy(device);
    expect(readSession(secret)?.actor.userId).toBe("usr_member");
    expect(readSecondFactor(actor).passkeys[0]?.lastUsedAt).toBe(new Date(at).toISOString());
    expect(trail().at(-1)).toEqual({ action: "user.login", details: '{"method":"passkey"}' });
  });

  it("refuses a replay, another origin or host, a locked device, and a counter that went back", async () => {
    const { device } = await add();
    const challenge = await challengeOf();
    const response = device.sign({ ...place, challenge });
    await signInWithPasskey(response, meta);
    await expect(signInWithPasskey(response, meta)).rejects.toMatchObject(refused);
    await expect(signInBy(device, { challenge })).rejects.toMatchObject(refused);
    await expect(signInBy(device, { origin: "https://evil.example" })).rejects.toMatchObject(refused);
    await expect(signInBy(device, { rpID: "evil.example" })).rejects.toMatchObject(refused);
    await expect(signInBy(device, { isVerified: false })).rejects.toMatchObject(refused);
    await signInBy(device, { counter: 40 });
    await expect(signInBy(device, { counter: 39 })).rejects.toMatchObject(refused);
    await expect(signInBy(device, { counter: 40 })).rejects.toMatchObject(refused);
    const late = device.sign({ ...place, challenge: await challengeOf(), counter: 50 });
    at += 5 * 60_000;
    await expect(signInWithPasskey(late, meta)).rejects.toMatchObject(refused);
    expect((await signInBy(device, { counter: 51 })).secret).toBeTruthy();
  });

  it("refuses another key under the same id, another account's handle, and an unknown passkey", async () => {
    const { device } = await add();
    const thief = Object.assign(new PasskeyDevice(), { id: device.id, userHandle: device.userHandle });
    await expect(signInBy(thief, { counter: 90 })).rejects.toMatchObject(refused);
    device.userHandle = Buffer.from("usr_owner").toString("base64url");
    await expect(signInBy(device)).rejects.toMatchObject(refused);
    await expect(signInBy(new PasskeyDevice())).rejects.toMatchObject(refused);
    expect(trail().filter(({ action }) => action === "user.login_failed")).toHaveLength(3);
  });

  it("keeps 200 challenges of one network, whose stranger pushes out nobody else's", async () => {
    const { device } = await add();
    const theirs = await challengeOf("2001:db8:0:2::1");
    const first = await challengeOf("2001:db8:0:1::1");
    for (let count = 2; count <= 201; count += 1) await challengeOf(`2001:db8:0:1::${count}`);
    await expect(signInBy(device, { challenge: first })).rejects.toMatchObject(refused);
    expect((await signInBy(device, { challenge: theirs })).secret).toBeTruthy();
  });

  it("is refused to a suspended member, and limited", async () => {
    const { device } = await add();
    db().update(users).set({ status: "suspended" }).where(eq(users.id, "usr_member")).run();
    await expect(signInBy(device)).rejects.toThrow("Your account is suspended");
    for (let count = 1; count < 10; count += 1)
      await expect(signInBy(device, { origin: "https://evil.example" })).rejects.toMatchObject(refused);
    await expect(signInBy(device)).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("the list", () => {
  it("renames and removes one's own alone", async () => {
    const { device, actor, passkey } = await add();
    expect(renamePasskey(actor, passkey.id, "Old laptop").name).toBe("Old laptop");
    const stranger = newActor("usr_viewer");
    for (const change of [
      () => renamePasskey(stranger, passkey.id, "Mine"),
      () => removePasskey(stranger, passkey.id),
    ])
      expect(change).toThrowError(expect.objectContaining({ code: "not_found" }));
    removePasskey(actor, passkey.id);
    await expect(signInBy(device)).rejects.toMatchObject(refused);
    expect(trail().map(({ action }) => action)).toEqual([
      "user.passkey_added",
      "user.passkey_renamed",
      "user.passkey_removed",
      "user.login_failed",
    ]);
  });

  it("keeps the only way to sign in, and the only second factor where one is required", async () => {
    const { actor, passkey } = await add();
    db().update(users).set({ passwordHash: null }).where(eq(users.id, "usr_member")).run();
    expect(() => removePasskey(actor, passkey.id)).toThrow("This is your only way to sign in");
    db().update(users).set({ passwordHash }).where(eq(users.id, "usr_member")).run();
    db()
      .insert(orgSettings)
      .values({ orgId: ORG_ID, key: "security", value: { requireSecondFactor: true }, updatedAt: at })
      .run();
    expect(() => removePasskey(actor, passkey.id)).toThrow("requires a second factor");
  });
});

it.each([
  ["https://console.example", true],
  ["http://localhost:3000", true],
  ["http://console.example", false],
  ["https://192.0.2.1", false],
  ["https://[2001:db8::1]", false],
])("at %s passkeys are offered: %s", (address, isOffered) => {
  setEnv({ PUBLIC_URL: address });
  expect(offersPasskeys(address)).toBe(isOffered);
  expect(offersPasskeys("https://other.example")).toBe(false);
});
