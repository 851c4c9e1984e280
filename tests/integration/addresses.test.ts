import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { people } from "../support/people";
import { freePort } from "../support/proxy";
import { startServer, type TestServer } from "../support/server";

const PUBLIC_URL = "https://console.example";
let server: TestServer;
let proxied: TestServer;
beforeAll(async () => {
  server = await startServer();
  const PORT = await freePort();
  proxied = await startServer({ env: { PUBLIC_URL, PORT, TRUST_PROXY: "1" } });
});
afterAll(() => Promise.all([server?.close(), proxied?.close()]));

/** Sends bytes as they are, and reads the answer whole. */
async function sendRaw(to: TestServer, lines: string[], body = ""): Promise<string> {
  const socket = connect(Number(new URL(to.baseUrl).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(`${[...lines, "connection: close"].join("\r\n")}\r\n\r\n${body}`, "latin1");
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe("a Host header", () => {
  it.each(["a b", "a/b", "[", "[::1", "a:99999", "a:b", "user@host", "a\\b", "a?b", "%", "\u00ff"])(
    "that is no host is 400: %j",
    async (host) => {
      for (const path of ["/login", "/api/health", "/chat.data"]) {
        const answer = await sendRaw(server, [`GET ${path} HTTP/1.1`, `host: ${host}`]);
        expect([path, statusOf(answer)]).toEqual([path, 400]);
        expect(answer).toContain("The Host header is invalid.");
      }
    },
  );

  it.each(["console.example", "127.0.0.1:3000", "[::1]:3000", "under_score.example"])(
    "that is one is served: %s",
    async (host) => {
      expect(statusOf(await sendRaw(server, ["GET /login HTTP/1.1", `host: ${host}`]))).toBe(200);
    },
  );

  it.each(["http://evil.example/login", "evil"])(
    "isn't replaced by a request's target: %s",
    async (target) => {
      expect(statusOf(await sendRaw(server, [`GET ${target} HTTP/1.1`, "host: localhost"]))).toBe(400);
    },
  );

  it("of a trusted proxy is checked as well", async () => {
    const lines = ["GET /login HTTP/1.1", "host: localhost", "x-forwarded-host: a b"];
    expect(statusOf(await sendRaw(proxied, lines))).toBe(400);
  });
});

describe("a return address", () => {
  const signIn = (returnTo: string) =>
    server.ask(`/login?returnTo=${returnTo}`, {
      form: { email: people.viewer.email, password: people.viewer.password },
      headers: { origin: server.baseUrl },
    });

  it.each([
    ["/rag?q=a%2520b", "/rag?q=a%20b"],
    ["/%00/evil.example", "/"],
    ["/%EF%BC%8Fevil.example", "/"],
    ["/%E2%80%A8/evil.example", "/"],
    ["/%0d%0aset-cookie:a=b", "/"],
    ["//evil.example", "/"],
  ])("%s leads to %s", async (returnTo, target) => {
    const response = await signIn(returnTo);
    expect([response.status, response.headers.get("location")]).toEqual([303, target]);
    const theme = await server.ask("/theme", {
      as: "viewer",
      form: { theme: "dark", returnTo: decodeURIComponent(returnTo) },
    });
    expect([theme.status, theme.headers.get("location")]).toEqual([303, target]);
  });
});

describe("a form without a session", () => {
  it.each([
    ["/personas?dialog=new", "/personas?dialog=new"],
    ["/logout", "/"],
    ["//evil.example/", "/"],
  ])("from %s leads back to %s", async (page, target) => {
    const response = await server.ask("/personas", {
      form: { name: "Analyst" },
      headers: { origin: server.baseUrl, referer: `${server.baseUrl}${page}` },
    });
    const location = `/api/login?returnTo=${encodeURIComponent(target)}`;
    expect([response.status, response.headers.get("location")]).toEqual([302, location]);
  });
});

describe("behind a proxy that sends its own Host", () => {
  const lines = (path: string, body: string) => [
    `POST ${path} HTTP/1.1`,
    "host: console-1.internal:3000",
    `origin: ${PUBLIC_URL}`,
    "x-forwarded-proto: https",
    "content-type: application/x-www-form-urlencoded",
    `content-length: ${body.length}`,
  ];
  const credentials = new URLSearchParams({
    email: people.member.email,
    password: people.member.password,
  }).toString();

  it.each(["/login", "/login.data"])("signing in at %s works", async (path) => {
    const answer = await sendRaw(proxied, lines(path, credentials), credentials);
    expect(answer).toMatch(path === "/login" ? /^HTTP\/1\.1 303 / : /^HTTP\/1\.1 202 /);
    expect(answer).toContain("__Host-qd_session=");
  });

  it("another site's form is refused", async () => {
    const evil = lines("/login", credentials).map((line) => line.replace(PUBLIC_URL, "https://evil.example"));
    expect(statusOf(await sendRaw(proxied, evil, credentials))).toBe(403);
  });
});

describe("loader data", () => {
  it.each(["/chat.data", "/_root.data", "/settings/members.data", "/login.data", "/nothing.data"])(
    "of %s stays out of caches",
    async (path) => {
      for (const as of ["owner", undefined] as const) {
        const response = await server.ask(path, as ? { as } : {});
        expect(response.headers.get("cache-control")).toBe("no-store");
      }
    },
  );
});

describe("a sign-in that was refused for a while", () => {
  it.each(["/login", "/login.data"])("says for how long at %s", async (path) => {
    const form = { email: `nobody-${path.length}@example.org`, password: "wrong" };
    const statuses: number[] = [];
    let last: Response | undefined;
    while (statuses.length < 50 && last?.status !== 429) {
      last = await server.ask(path, { form, headers: { origin: server.baseUrl } });
      statuses.push(last.status);
    }
    expect(last?.status, statuses.join()).toBe(429);
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

it("nothing of it was an unexpected error", () => {
  expect(server.output + proxied.output).not.toContain("unexpected error");
});

it("a theme is chosen by the form of each page, and kept", async () => {
  const browser = plainBrowser(server, "viewer");
  const themeOf = (page: PlainPage) => page.document.documentElement.getAttribute("data-theme");
  const light = await (await browser.open("/personas")).press("Light");
  expect(light.text).toContain("Personas");
  expect([themeOf(light), themeOf(await browser.open("/rag"))]).toEqual(["light", "light"]);
  expect(themeOf(await light.press("Dark"))).toBe("dark");
});

it.each(["%0A", "a%0d", "%E2%80%A8"])(
  "an address of the API with a line break is a problem: %s",
  async (id) => {
    const response = await server.ask(`/api/personas/${id}`, { as: "member" });
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    expect(await response.json()).toMatchObject({ status: 404, code: "not_found" });
  },
);
