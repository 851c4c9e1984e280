import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CookieClient } from "../support/cookie-client";
import { submissionOf } from "../support/forms";
import { startProvider, type TestProvider } from "../support/oidc";
import { startServer, type TestServer } from "../support/server";

let provider: TestProvider;
let server: TestServer;

beforeAll(async () => {
  provider = await startProvider([
    {
      sub: "founder",
      email: "founder@example.org",
      email_verified: true,
      given_name: "Fay",
      family_name: "Founder",
    },
    { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" },
    { sub: "unverified", email: "mallory@example.com", email_verified: false },
    { sub: "grouped", groups: ["staff", "ops"] },
    { sub: "stranger", email: "founder@example.org", email_verified: true },
    { sub: "invited", email: "invited@elsewhere.test", email_verified: true },
    { sub: "declined", email: "declined@elsewhere.test" },
  ]);
  server = await startServer({
    people: false,
    env: {
      ...provider.env,
      OAUTH_SCOPES: "openid profile email groups",
      OAUTH_ALLOWED_DOMAINS: "example.com",
      OAUTH_ALLOWED_GROUPS: "staff",
      OAUTH_ROLE_MAP: "ops=admin",
    },
  });
  provider.register(server.baseUrl);
});

afterAll(async () => {
  await server?.close();
  await provider?.close();
});

const at = (path: string) => server.baseUrl + path;

async function signInAs(login: string, path = "/api/login") {
  const client = new CookieClient();
  const page = await client.passProvider(await client.open(at(path)), login);
  return { client, page };
}

async function user(client: CookieClient) {
  const { text, status } = await client.open(at("/api/auth/user"));
  return status === 200 ? (JSON.parse(text) as Record<string, unknown>) : status;
}

const cookieHeader = (client: CookieClient) => ({
  cookie: `qd_session=${client.cookie(server.baseUrl, "qd_session")}`,
  origin: server.baseUrl,
});

let founder: CookieClient;

describe("setup by an OAuth identity", () => {
  it("is not open to who comes without the link", async () => {
    const { page, client } = await signInAs("stranger");
    expect(page.url.pathname).toBe("/login");
    expect(page.text).toContain("Set up this console");
    expect(await user(client)).toBe(401);
  });

  it("makes the one who opens the printed link the owner, and closes", async () => {
    const token = /setup\?token=([\w-]+)/.exec(server.output)?.[1] ?? "";
    expect((await new CookieClient().open(at(`/setup?token=${token}`))).text).toContain("Continue with");
    const { client, page } = await signInAs("founder", `/api/login?setup=${token}`);
    expect(page.url.pathname).toBe("/");
    founder = client;
    expect(await user(client)).toMatchObject({
      role: "owner",
      firstName: "Fay",
      email: "founder@example.org",
    });
    expect((await new CookieClient().open(at(`/setup?token=${token}`))).status).toBe(410);
  });
});

describe("signing in", () => {
  it("uses PKCE and a state, and comes back to the page that was wanted", async () => {
    const client = new CookieClient();
    const page = await client.open(at("/chat"));
    const authorize = new URL(page.steps.find((step) => step.includes("code_challenge")) ?? "");
    expect(authorize.searchParams.get("code_challenge_method")).toBe("S256");
    expect(authorize.searchParams.get("state")).toMatch(/.{20,}/);
    expect(authorize.searchParams.get("nonce")).toMatch(/.{20,}/);
    const back = await client.passProvider(page, "ada");
    expect(back.url.pathname).toBe("/chat");
    expect(await user(client)).toMatchObject({ role: "viewer", firstName: "Ada", lastName: "Lovelace" });
    // The sign-in's own cookies are gone.
    expect(client.cookie(server.baseUrl, "qd_flow")).toBeUndefined();
  });

  it("gives the role of the highest mapped group to who a group admits, without any email", async () => {
    const { client } = await signInAs("grouped");
    expect(await user(client)).toMatchObject({ role: "admin", email: "" });
  });

  it("lets who no one admitted wait, also with the owner's email address", async () => {
    for (const login of ["unverified", "stranger"]) {
      const { client, page } = await signInAs(login);
      expect(page.url.pathname).toBe("/waiting");
      expect(await user(client)).toBe(401);
    }
    const { client } = await signInAs("unverified");
    expect((await client.open(at("/waiting"))).text).toContain("Check Again");
    expect((await client.open(at("/audit"))).url.pathname).toBe("/waiting");
    const members = await founder.open(at("/settings/members"));
    expect(members.text).toMatch(/Requests to join/i);
    const { fields } = submissionOf(parseHTML(members.text).document, "Admit mallory@example.com");
    expect(fields).toMatchObject({ intent: "admit", role: "viewer" });
    const admitted = await founder.open(at("/settings/members"), { ...fields, role: "member" } as Record<
      string,
      string
    >);
    expect(admitted.text).toContain("Member admitted");
    // Where Check Again leads.
    expect((await client.open(at("/api/login"))).url.pathname).toBe("/chat");
    expect(await user((await signInAs("unverified")).client)).toMatchObject({ role: "member" });
  });

  it("keeps out who was declined", async () => {
    expect((await signInAs("declined")).page.url.pathname).toBe("/waiting");
    const response = await server.ask("/api/members", { headers: cookieHeader(founder) });
    const members = (await response.json()) as { id: string; email: string }[];
    const id = members.find(({ email }) => email.startsWith("declined"))?.id;
    await server.ask(`/api/members/${id}/decline`, { method: "POST", headers: cookieHeader(founder) });
    const { page } = await signInAs("declined");
    expect(page.url.pathname).toBe("/login");
    expect(page.text).toContain("have access to this console");
  });

  it("takes an invitation with an identity of any address", async () => {
    const made = await server.ask("/api/members", {
      headers: cookieHeader(founder),
      json: { email: "someone@example.net", role: "member" },
    });
    const { inviteUrl } = (await made.json()) as { inviteUrl: string };
    const token = inviteUrl.split("/").at(-1) ?? "";
    expect((await new CookieClient().open(inviteUrl)).text).toContain("someone@example.net");
    const { client } = await signInAs("invited", `/api/login?invite=${token}`);
    expect(await user(client)).toMatchObject({ role: "member", email: "someone@example.net" });
    expect((await new CookieClient().open(inviteUrl)).status).toBe(410);
  });
});

describe("the callback", () => {
  it.each([
    ["without a state", "/api/auth/callback?code=stolen", "expired"],
    ["with an unknown state", "/api/auth/callback?code=stolen&state=guess", "expired"],
    ["of another issuer", "/api/auth/callback?code=x&state=y&iss=https%3A%2F%2Fevil.test", "expired"],
  ])("%s never begins a new sign-in", async (_what, path, reason) => {
    const page = await new CookieClient().open(at(path));
    expect(page.steps).toHaveLength(2);
    expect(page.url.pathname + page.url.search).toBe(`/login?error=${reason}`);
  });

  it("of one browser is worth nothing in another", async () => {
    const victim = new CookieClient();
    const attacker = new CookieClient();
    const login = await attacker.open(at("/api/login"));
    attacker.forget((name) => name.startsWith("qd_oauth"));
    const page = await attacker.passProvider(login, "ada");
    expect(page.url.search).toBe("?error=expired");
    const callback = page.steps.find((step) => step.includes("/api/auth/callback"));
    expect((await victim.open(callback ?? "")).url.search).toBe("?error=expired");
    expect(await user(victim)).toBe(401);
  });

  it("tells who declined at the provider so", async () => {
    const client = new CookieClient();
    const page = await client.open(at("/api/login"));
    const abort = /href="([^"]*\/abort)"/.exec(page.text)?.[1] ?? "";
    const back = await client.open(new URL(abort, page.url).href);
    expect(back.url.search).toBe("?error=declined");
    expect(back.text).toContain("The provider declined the sign-in");
    expect(back.text).toContain("Use a Local Account");
  });

  it("can't be used twice", async () => {
    const { client, page } = await signInAs("ada");
    const callback = page.steps.find((step) => step.includes("/api/auth/callback")) ?? "";
    expect((await client.open(callback)).steps[1]).toContain("/login?error=expired");
  });
});

it("leaves the local form as a way in when the provider is down", async () => {
  provider.setDown(true);
  const other = await startServer({ env: provider.env });
  try {
    const page = await new CookieClient().open(`${other.baseUrl}/api/login`);
    expect(page.url.search).toBe("?error=unavailable");
    expect(page.text).toContain("Use a Local Account");
    expect((await other.ask("/api/auth/user", { as: "owner" })).status).toBe(200);
  } finally {
    provider.setDown(false);
    await other.close();
  }
});

it("ends the provider's session at sign-out too", async () => {
  const { client } = await signInAs("ada");
  const page = await client.open(at("/api/logout"), {});
  expect(await user(client)).toBe(401);
  const away = /url=([^"]+)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(away.startsWith(`${provider.issuer}/session/end`)).toBe(true);
  expect(new URL(away).searchParams.get("post_logout_redirect_uri")).toBe(`${server.baseUrl}/`);
  const confirm = await client.open(away);
  expect(confirm.text).toContain("logout");
});
