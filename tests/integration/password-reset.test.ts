import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

const execute = promisify(execFile);
const NEW_PASSWORD = "another fine long password";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const me = async (cookie: string) => (await server.ask("/api/auth/user", { headers: { cookie } })).status;
const actions = async () => {
  const response = await server.ask("/api/audit?limit=5", { as: "owner" });
  const entries = (await response.json()) as { action: string; userId: string }[];
  return entries.slice(0, 4).map(({ action, userId }) => [action, userId]);
};

it("an admin's link sets a new password once and ends the member's sessions, without script", async () => {
  const forgotten = await plainBrowser(server).open("/login");
  expect(forgotten.text).toContain("Forgot your password? Ask an admin for a reset link.");

  const admin = plainBrowser(server, "admin");
  const members = await admin.open("/settings/members");
  const link = members.document.querySelector('a[aria-label="Reset password of Member Tester"]');
  const dialog = await admin.open(link?.getAttribute("href") ?? "");
  expect(dialog.text).toContain("Reset Password of Member Tester");
  const shown = await dialog.submit("new-link");
  expect(shown.text).toContain("Valid once, for 1 hour");
  const address = shown.document.querySelector("dialog input[readonly]")?.getAttribute("value") ?? "";
  expect((await admin.open("/settings/members")).document.toString()).not.toContain(address);

  const session = await server.signIn(people.member.email, people.member.password);
  const person = plainBrowser(server);
  const choice = await person.open(new URL(address).pathname);
  expect(choice.text).toContain("Choose a new password");
  expect(choice.control("firstName")).toBeNull();
  expect((await choice.submit("Save Password", { password: "short" })).text).toContain(
    "at least 12 characters",
  );
  expect(await me(session)).toBe(200);
  expect((await choice.submit("Save Password", { password: NEW_PASSWORD })).location).toBe("/chat");
  expect(await me(session)).toBe(401);
  expect(await actions()).toEqual([
    ["user.login", "usr_member"],
    ["user.sign_in_replaced", "usr_member"],
    ["user.login", "usr_member"],
    ["member.link_created", "usr_admin"],
  ]);
  expect((await person.open(new URL(address).pathname)).status).toBe(410);
  await expect(server.signIn(people.member.email, people.member.password)).rejects.toThrow("sign in");
  expect(await me(await server.signIn(people.member.email, NEW_PASSWORD))).toBe(200);
  const { firstName } = (await (await server.ask("/api/members/usr_member", { as: "admin" })).json()) as {
    firstName: string;
  };
  expect(firstName).toBe("Member");
});

it("an owner who is locked out gets in by the operator's command, while no console runs", async () => {
  const run = (...names: string[]) =>
    execute(process.execPath, ["build/owner-link.mjs", ...names], {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: "production",
        DATA_DIR: server.dataDir,
        PUBLIC_URL: "https://console.example.org",
      },
    });
  await expect(run(people.owner.email)).rejects.toThrow(/in use|another/i);
  await server.stop();
  await expect(run()).rejects.toThrow(`${people.owner.email} (usr_owner)`);
  await expect(run(people.member.email)).rejects.toThrow("Name one of the owners");
  const { stdout } = await run(people.owner.email);
  const address = /https:\/\/console\.example\.org(\/invite\/\S+)/.exec(stdout)?.[1] ?? "";
  await server.start();
  const choice = await plainBrowser(server).open(address);
  expect((await choice.submit("Save Password", { password: NEW_PASSWORD })).location).toBe("/");
  const cookie = await server.signIn(people.owner.email, NEW_PASSWORD);
  expect(await me(cookie)).toBe(200);
  // The console accepts an entry that was appended while it was stopped.
  const health = await server.ask("/api/health", { headers: { cookie } });
  expect(((await health.json()) as { status: string }).status).toBe("ok");
  const { stdout: verdict } = await execute(process.execPath, ["build/audit-verify.mjs"], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", DATA_DIR: server.dataDir },
  });
  expect(verdict).toMatch(/^OK: /);
}, 60_000);
