import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { readWriter } from "~/platform/settings/writer.service.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { assertSetupLink, isSetUp, prepareSetup, setUpWithPassword } from "./setup.service.server";
import { signIn } from "./sign-in.service.server";

let store: ReturnType<typeof openTestDatabase>;

function openEmpty(environment: Record<string, string> = {}) {
  store = openTestDatabase(environment);
  rawDatabase().exec("delete from users; delete from organisations;");
}

beforeEach(() => openEmpty());
afterEach(() => store.close());

const owner = {
  firstName: "Ada",
  lastName: null,
  email: "ada@example.org",
  password: "correct horse battery",
};
const secretOf = (link: string | undefined) => new URL(link ?? "").searchParams.get("token") ?? "";

it("prints a link before setup, replaced at each start", async () => {
  const first = secretOf(await prepareSetup("http://console.test"));
  const second = secretOf(await prepareSetup("http://console.test"));
  expect(() => assertSetupLink(first)).toThrow(/isn't valid, or a newer one/);
  expect(() => assertSetupLink(second)).not.toThrow();
  expect(JSON.stringify(rawDatabase().prepare("select * from setup_links").all())).not.toContain(second);
});

it("creates the owner and the organization, and closes", async () => {
  const secret = secretOf(await prepareSetup());
  const user = await setUpWithPassword(secret, owner);
  expect(user).toMatchObject({ role: "owner", status: "active", email: "ada@example.org" });
  expect(isSetUp()).toBe(true);
  expect(await prepareSetup()).toBeUndefined();
  await expect(setUpWithPassword(secret, owner)).rejects.toMatchObject({ code: "gone" });
  expect(rawDatabase().prepare("select action from audit_entries").pluck().all()).toEqual(["user.created"]);
  expect((await signIn(owner, { address: "192.0.2.1" })).secret).toBeTruthy();
});

it.each(["link", "environment"])("keeps the replica's address with the first owner, by %s", async (means) => {
  store.close();
  openEmpty({
    LITESTREAM_URL: "file:///mnt/replica/",
    ...(means === "environment" ? { OWNER_EMAIL: owner.email, OWNER_PASSWORD: owner.password } : {}),
  });
  const link = await prepareSetup();
  if (link) await setUpWithPassword(secretOf(link), owner);
  expect(isSetUp()).toBe(true);
  expect(readWriter(installationOrgId() ?? "")).toEqual({ replica: "file:///mnt/replica" });
});

it("accepts one of many parallel requests", async () => {
  const secret = secretOf(await prepareSetup());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      setUpWithPassword(secret, { ...owner, email: `owner${index}@example.org` }),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused).toHaveLength(7);
  for (const outcome of refused) expect(outcome.reason).toMatchObject({ code: "gone" });
  expect(db().select().from(users).all()).toHaveLength(1);
  expect(rawDatabase().prepare("select count(*) from organisations").pluck().get()).toBe(1);
});

it("rejects a guessed link and a weak password", async () => {
  const secret = secretOf(await prepareSetup());
  await expect(setUpWithPassword("guess", owner)).rejects.toBeInstanceOf(AppError);
  await expect(setUpWithPassword(secret, { ...owner, password: "ada@example.org" })).rejects.toMatchObject({
    code: "invalid",
    fields: { password: [expect.any(String)] },
  });
  expect(isSetUp()).toBe(false);
});

it("creates the owner from the environment, once", async () => {
  store.close();
  openEmpty({ OWNER_EMAIL: "Boss@Example.org", OWNER_PASSWORD: "correct horse battery" });
  expect(await prepareSetup()).toBeUndefined();
  expect(await prepareSetup()).toBeUndefined();
  expect(db().select().from(users).all()).toMatchObject([{ email: "boss@example.org", role: "owner" }]);
  const meta = { address: "192.0.2.1" };
  expect(
    (await signIn({ email: "boss@example.org", password: "correct horse battery" }, meta)).secret,
  ).toBeTruthy();
});
