import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { type Ask, startServer, type TestServer } from "../support/server";

// Both doors ask one policy: each question here is asked at both.
const DOORS = [
  ["Express", "/api/tools"],
  ["the listener under /v1", "/v1/models"],
] as const;

let server: TestServer;
let owner: string;
beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: "1" } });
  owner = await server.createToken("owner");
});
afterAll(() => server.close());

const HTTPS = { "x-forwarded-proto": "https" };
async function set(change: Record<string, Record<string, unknown>>): Promise<void> {
  const ask = { token: owner, method: "PUT", json: change, headers: HTTPS };
  const response = await server.ask("/api/settings/advanced", ask);
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
}
afterEach(() =>
  set({
    performance: { rateLimitEnabled: false, rateLimit: 100, enableCompression: true },
    security: { enableCSP: true, enableCORS: false, corsOrigins: "", enforceHttps: false },
  }),
);
const token = () => server.createToken("member");
async function headersOf(path: string, ask: Ask = {}): Promise<Headers> {
  const response = await server.ask(path, { token: owner, ...ask });
  await response.body?.cancel();
  return response.headers;
}

describe.each(DOORS)("%s", (_, path) => {
  it("gives each request an ID and each response the security headers", async () => {
    const headers = await headersOf(path, { headers: { "x-request-id": "mine" } });
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("sends a content security policy unless an owner turned it off", async () => {
    expect((await headersOf(path)).get("content-security-policy")).toContain("default-src 'none'");
    await set({ security: { enableCSP: false } });
    expect((await headersOf(path)).get("content-security-policy")).toBeNull();
  });

  it("lets other origins read responses if CORS is on, never with cookies", async () => {
    const ask = { headers: { origin: "https://other.example" } };
    const preflight = { ...ask, method: "OPTIONS" };
    expect((await headersOf(path, ask)).get("access-control-allow-origin")).toBeNull();
    expect((await headersOf(path, preflight)).get("access-control-allow-methods")).toBeNull();
    await set({ security: { enableCORS: true } });
    const headers = await headersOf(path, ask);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("access-control-expose-headers")).toContain("Retry-After");
    const answer = await server.ask(path, preflight);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect((await server.ask(path)).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("lets only the listed origins read responses", async () => {
    const origins = "https://one.example http://two.example:8080";
    await set({ security: { enableCORS: true, corsOrigins: origins } });
    const from = (origin: string, method = "GET") => headersOf(path, { method, headers: { origin } });
    for (const origin of origins.split(" ")) {
      const headers = await from(origin);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("vary")).toContain("Origin");
    }
    for (const origin of ["https://other.example", "null", "https://one.example.evil"]) {
      expect((await from(origin)).get("access-control-allow-origin")).toBeNull();
      expect((await from(origin, "OPTIONS")).get("access-control-allow-methods")).toBeNull();
    }
  });

  it("redirects to HTTPS if enforced, and refuses changes over HTTP", async () => {
    await set({ security: { enforceHttps: true } });
    const plain = await server.ask(`${path}?a=1`, { token: owner });
    expect(plain.status).toBe(308);
    expect(plain.headers.get("location")).toBe(`https://127.0.0.1${path}?a=1`);
    const forwarded = { "x-forwarded-proto": "http" };
    expect((await server.ask(path, { token: owner, headers: forwarded })).status).toBe(308);
    expect((await server.ask(path, { token: owner, json: {} })).status).toBe(403);
    const secure = await server.ask(path, { token: owner, headers: HTTPS });
    expect(secure.status).toBe(200);
    expect(secure.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  it("limits the rate per token and reports the remainder", async () => {
    const [one, other] = [await token(), await token()];
    await set({ performance: { rateLimitEnabled: true, rateLimit: 10 } });
    const ask = () => server.ask(path, { token: one });
    const first = await ask();
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=10;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"default";r=9;t=\d+$/);
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await ask()).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+$/);
    expect(await refused.text()).toContain("The limit of 10 requests per minute is reached.");
    expect((await server.ask(path, { token: other })).status).toBe(200);
  });

  it("limits the rate per address without a valid token", async () => {
    await set({ performance: { rateLimitEnabled: true, rateLimit: 10 } });
    const from = (address: string) =>
      server.ask(path, { token: "qd_guessed", headers: { "x-forwarded-for": address } });
    const [mine, others] = path.startsWith("/v1")
      ? ["203.0.113.1", "203.0.113.2"]
      : ["203.0.113.3", "203.0.113.4"];
    for (let n = 0; n < 10; n++) expect((await from(mine)).status).toBe(401);
    expect((await from(mine)).status).toBe(429);
    expect((await from(others)).status).toBe(401);
  });
});

describe("screens and responses", () => {
  const page = () => server.ask("/personas", { as: "member", headers: { accept: "text/html" } });

  it("count forms only, and refuse one over the limit with a page", async () => {
    await set({ performance: { rateLimitEnabled: true, rateLimit: 10 } });
    for (let n = 0; n < 12; n++) expect((await page()).status).toBe(200);
    const send = () =>
      server.ask("/personas", { as: "member", form: { intent: "none" }, headers: { accept: "text/html" } });
    for (let n = 0; n < 10; n++) expect((await send()).status).toBe(400);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toContain("text/html");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.text()).toContain("The limit of 10 requests per minute is reached.");
    const chat = await plainBrowser(server, "member").open("/chat");
    const message = await chat.submit("send", { content: "When is high water?" });
    expect([message.status, message.text]).toEqual([
      429,
      expect.stringContaining("The limit of 10 requests"),
    ]);
    expect(message.fields("send")).toMatchObject({ content: "When is high water?" });
    for (let n = 0; n < 12; n++) expect((await server.ask("/api/health")).status).toBe(200);
  });

  it("count messages of MCP, and refuse one over the limit in JSON", async () => {
    const token = await server.createToken("owner");
    await set({ performance: { rateLimitEnabled: true, rateLimit: 10 } });
    const headers = { accept: "application/json, text/event-stream" };
    const send = (path = "/mcp") =>
      server.ask(path, { token, headers, json: { jsonrpc: "2.0", id: 1, method: "ping" } });
    for (let n = 0; n < 10; n++) expect((await send()).status).toBe(200);
    for (const path of ["/mcp", "/mcp//"]) {
      const refused = await send(path);
      expect([refused.status, refused.headers.get("content-type")]).toEqual([
        429,
        "application/problem+json; charset=utf-8",
      ]);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    }
  });

  it("come compressed unless compression is off", async () => {
    const encoding = async () =>
      (await headersOf("/api/openapi.json", { headers: { "accept-encoding": "gzip" } })).get(
        "content-encoding",
      );
    expect(await encoding()).toBe("gzip");
    await set({ performance: { enableCompression: false } });
    expect(await encoding()).toBeNull();
  });
});
