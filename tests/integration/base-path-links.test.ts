import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CookieClient } from "../support/cookie-client";
import { startMailServer } from "../support/mail-server";
import { startProtectedServer } from "../support/mcp-oauth";
import { startProvider } from "../support/oidc";
import { people } from "../support/people";
import { type FrontProxy, freePort, PROXY_KINDS, startProxy } from "../support/proxy";
import { startServer, type TestServer } from "../support/server";

// What leads back to a console below a path of its host from elsewhere: sign-in providers, authorization servers of MCP
// servers, email, links of approvals.

describe.each(PROXY_KINDS)("behind a proxy that %s the path", (kind) => {
  let server: TestServer;
  let front: FrontProxy;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let guarded: Awaited<ReturnType<typeof startProtectedServer>>;

  beforeAll(async () => {
    front = await startProxy("/ai", kind, () => server.baseUrl);
    mail = await startMailServer();
    guarded = await startProtectedServer();
    provider = await startProvider([
      { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" },
    ]);
    provider.register(front.address);
    server = await startServer({
      env: {
        ...provider.env,
        PUBLIC_URL: front.address,
        PORT: await freePort(),
        OAUTH_ALLOWED_DOMAINS: "example.com",
        SMTP_URL: mail.url,
        EGRESS_ALLOW: "127.0.0.1",
      },
    });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    expect(front.strayed).toEqual([]);
    await Promise.all([front, mail, provider, guarded].map((one) => one.close()));
  });

  const at = (path: string) => front.address + path;
  async function call(path: string, json?: unknown, method = "POST") {
    const response = await fetch(at(path), {
      method,
      headers: {
        cookie: server.cookieOf("admin"),
        origin: new URL(front.address).origin,
        "content-type": "application/json",
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    expect(response.ok, `${path}: ${response.status} ${await response.clone().text()}`).toBe(true);
    const text = await response.text();
    return text ? JSON.parse(text) : undefined;
  }

  it("a sign-in at the provider comes back to the page that was wanted", async () => {
    const client = new CookieClient();
    const page = await client.passProvider(await client.open(at("/api/login?returnTo=/personas")), "ada");
    expect([page.status, page.url.href]).toEqual([200, at("/personas")]);
    expect(page.text).toContain("Ada Lovelace");
  });

  it("a sign-in at an MCP server comes back to its tools", async () => {
    const added = await call("/api/mcp-servers", { title: "Guarded", url: guarded.url });
    const { url } = await call(`/api/mcp-servers/${added.id}/account`);
    const client = new CookieClient();
    const { email, password } = people.admin;
    await client.open(at("/login?local=1"), { email, password });
    const page = await client.passProvider(await client.open(url), "ada");
    expect(page.url.href).toBe(at(`/extensions?tab=installed&dialog=tools&id=${added.id}`));
    expect(page.text).toContain("Guarded connected");
  });

  it("links of emails lead to pages", async () => {
    await call("/api/settings/advanced", { notifications: { enableEmail: true } }, "PUT");
    await call("/api/notifications/channels/email/test");
    await expect.poll(() => mail.received).toHaveLength(1);
    const links = [...mail.text(0).matchAll(/http:\/\/127\.0\.0\.1\S+/g)].map(([link]) => link);
    expect(links).toEqual([at("/notifications"), at("/settings/profile#notifications")]);
    const headers = { cookie: server.cookieOf("admin") };
    for (const link of links) expect((await fetch(link, { headers, redirect: "manual" })).status).toBe(200);
  });

  it("the link of an approval takes its answer", async () => {
    const { id } = await call("/api/workflows", {
      name: "Newsletter",
      triggers: [{ type: "manual" }],
      steps: [{ id: "ask", type: "approval", config: { question: "Send it?" } }],
      enabled: true,
    });
    const run = await call(`/api/workflows/run/${id}`, {});
    const made = await vi.waitFor(
      () => call(`/api/runs/${run.id}/approval-links`, { step: "ask", recipient: "ada@example.org" }),
      60_000,
    );
    expect(made.link.startsWith(at("/"))).toBe(true);
    const client = new CookieClient();
    const page = await client.open(made.link);
    expect(page.text).toContain("Send it?");
    const answered = await client.open(made.link, { intent: "approve" });
    expect(answered.url.href).toBe(made.link);
    expect(answered.text.replaceAll("<!-- -->", "")).toContain("Approved by ada@example.org");
  });
});
