import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CookieClient } from "../support/cookie-client";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const at = (path: string) => server.baseUrl + path;
const json = (response: Response) => response.json() as Promise<Record<string, unknown>>;
/** Later than any code that was used: one step ahead counts. */
const codeOf = (secret: string, ahead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + ahead * 30_000 });
const asked = (headers: Headers) => headers.getSetCookie().map((line) => line.split("=")[0]);

/** Sets up an authenticator app over the API in a session of its own. */
async function setUp(who: "member" | "viewer") {
  const { email, password } = people[who];
  const cookie = await server.signIn(email, password);
  const headers = { cookie, origin: server.baseUrl };
  const begun = await json(await server.ask("/api/auth/authenticator", { headers, json: { password } }));
  const secret = String(begun.secret);
  const done = await server.ask("/api/auth/authenticator", {
    headers,
    method: "PUT",
    json: { code: codeOf(secret, -1) },
  });
  const { recoveryCodes } = (await done.json()) as { recoveryCodes: string[] };
  return { secret, recoveryCodes, headers, email, password };
}

describe("an account with an authenticator app", () => {
  let member: Awaited<ReturnType<typeof setUp>>;

  beforeAll(async () => {
    member = await setUp("member");
  });

  it("is asked for a code after the password, by forms alone, and returns to its page", async () => {
    const { email, password, secret } = member;
    const client = new CookieClient();
    const early = await client.open(at("/login/code"));
    expect([early.text.includes("took too long"), early.text.includes("one-time-code")]).toEqual([
      true,
      false,
    ]);
    await client.open(at("/login?returnTo=/personas"));
    const step = await client.open(at("/login?returnTo=/personas"), { email, password });
    expect(step.url.pathname + step.url.search).toBe("/login/code?returnTo=%2Fpersonas");
    expect(step.text).toContain('autoComplete="one-time-code"');
    expect((await client.open(at("/personas"))).url.pathname).toBe("/login");
    const wrong = await client.open(step.url.href, { code: "12345" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("This code is wrong or was used before");
    const done = await client.open(step.url.href, { code: codeOf(secret) });
    expect(done.url.pathname).toBe("/personas");
    expect(client.cookie(server.baseUrl, "qd_sign_in")).toBeUndefined();
  });

  it("has no session in between, whichever cookie carries the half sign-in", async () => {
    const { email, password } = member;
    const response = await server.ask("/login?local=1", {
      form: { email, password },
      headers: { origin: server.baseUrl },
    });
    expect(asked(response.headers)).toEqual(["qd_sign_in"]);
    const half = /qd_sign_in=([^;]+)/.exec(response.headers.getSetCookie().join())?.[1];
    for (const cookie of [`qd_session=${half}`, `qd_sign_in=${half}`]) {
      expect((await server.ask("/api/auth/user", { headers: { cookie } })).status).toBe(401);
      expect((await server.ask("/personas", { headers: { cookie } })).status).toBe(302);
    }
    expect((await server.ask("/api/auth/user", { token: half ?? "" })).status).toBe(401);
  });

  it("signs in over the API with a code or a recovery code, each once", async () => {
    const { email, password, recoveryCodes } = member;
    const signIn = (code?: string) => server.ask("/api/login", { json: { email, password, code } });
    const missing = await signIn();
    expect(missing.status).toBe(401);
    expect(await json(missing)).toMatchObject({ errors: { code: [expect.any(String)] } });
    const done = await signIn(recoveryCodes[0]);
    expect([done.status, asked(done.headers)]).toEqual([204, ["qd_session"]]);
    expect((await signIn(recoveryCodes[0])).status).toBe(400);
    const wrong = await server.ask("/api/login", { json: { email, password: "not this one" } });
    expect(wrong.status).toBe(401);
  });

  it("keeps its second factor through a new password by a link, and loses it to an admin", async () => {
    const { email, headers } = member;
    const invitation = await json(
      await server.ask("/api/members/usr_member/invitation", { as: "admin", method: "POST" }),
    );
    const client = new CookieClient();
    const password = "a new and fine password";
    const accepted = await client.open(String(invitation.inviteUrl), { password });
    expect(accepted.url.pathname).toBe("/login/code");
    const removed = await server.ask("/api/members/usr_member/second-factor", {
      as: "admin",
      method: "DELETE",
    });
    expect(removed.status).toBe(204);
    expect((await server.ask("/api/auth/user", { headers })).status).toBe(401);
    expect((await server.ask("/api/login", { json: { email, password } })).status).toBe(204);
  });
});

it("an organization that requires a second factor leads its members to the setup before anything else", async () => {
  const saved = await server.ask("/api/settings/advanced", {
    as: "owner",
    method: "PUT",
    json: { security: { requireSecondFactor: true } },
  });
  expect(saved.status).toBe(200);
  const { email, password } = people.viewer;
  const client = new CookieClient();
  const led = await client.open(at("/login?returnTo=/personas"), { email, password });
  expect(led.url.pathname + led.url.search).toBe("/login/set-up?returnTo=%2Fpersonas");
  for (const path of ["/", "/personas", "/login", "/api/login"])
    expect((await client.open(at(path))).url.pathname).toBe("/login/set-up");
  const cookie = `qd_session=${client.cookie(server.baseUrl, "qd_session")}`;
  expect((await server.ask("/api/auth/user", { headers: { cookie } })).status).toBe(401);
  const begun = await client.open(led.url.href, { intent: "begin", password });
  expect(begun.text).toContain("QR code for the authenticator app");
  const secret = /<code[^>]*>([A-Z2-7 ]+)<\/code>/.exec(begun.text)?.[1]?.replaceAll(" ", "") ?? "";
  const done = await client.open(begun.url.href, { intent: "confirm-authenticator", code: codeOf(secret) });
  expect(done.text.match(/<li>[A-Z2-7]{4}(-[A-Z2-7]{4}){3}<\/li>/g)).toHaveLength(10);
  expect((await client.open(at("/personas"))).url.pathname).toBe("/personas");
});
