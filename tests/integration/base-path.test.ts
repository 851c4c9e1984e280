import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { people } from "../support/people";
import { type FrontProxy, freePort, PROXY_KINDS, type ProxyKind, startProxy } from "../support/proxy";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";

// The console below a path of its host, behind proxies that hand the path on or take it away.

const BASE = "/ai";

let server: TestServer;
const proxies = {} as Record<ProxyKind, FrontProxy>;

beforeAll(async () => {
  for (const kind of PROXY_KINDS) proxies[kind] = await startProxy(BASE, kind, () => server.baseUrl);
  const env = { PUBLIC_URL: proxies.keeps.address, PORT: await freePort() };
  server = await startServer({ env });
  const created = await server.ask("/api/rag/ingest", {
    as: "owner",
    json: { text: "A lamp is lit at dusk.", title: "Lamps" },
  });
  expect(created.status).toBeLessThan(300);
}, 120_000);

afterAll(async () => {
  for (const kind of PROXY_KINDS) await proxies[kind].close();
  await server.close();
});

interface Asked {
  as?: Role;
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
}

function ask(kind: ProxyKind, path: string, { as, headers, ...init }: Asked = {}): Promise<Response> {
  const { address } = proxies[kind];
  const sent = new Headers({ accept: "text/html", origin: new URL(address).origin, ...headers });
  if (as) sent.set("cookie", server.cookieOf(as));
  return fetch(new URL(path, address), { redirect: "manual", ...init, headers: sent });
}

const ATTRIBUTES = ["href", "src", "action", "formaction", "poster", "data-href", "data-src"];

/** Every address in a page that a browser could follow, without those of other hosts. */
function addressesIn(html: string): string[] {
  const { document } = parseHTML(html);
  const found = [...document.querySelectorAll("*")].flatMap((element) => [
    ...ATTRIBUTES.map((name) => element.getAttribute(name) ?? ""),
    ...(element.getAttribute("srcset") ?? "").split(",").map((part) => part.trim().split(" ")[0] ?? ""),
    ...(element.getAttribute("http-equiv") === "refresh"
      ? [(element.getAttribute("content") ?? "").split("url=")[1] ?? ""]
      : []),
  ]);
  const styles = [...document.querySelectorAll("style")].map((element) => element.textContent ?? "");
  const inStyles = styles.flatMap((text) => [...text.matchAll(/url\(["']?([^"')]+)/g)].map(([, url]) => url));
  const scripts = [...document.querySelectorAll("script:not([src])")].map(
    ({ textContent }) => textContent ?? "",
  );
  const inScripts = scripts.flatMap((text) =>
    [...text.matchAll(/(?:import|from|fetch)\s*\(?"([^"]+)"/g)].map(([, url]) => url),
  );
  return [...found, ...inStyles, ...inScripts].filter((address) => address?.startsWith("/")) as string[];
}

const isBelow = (address: string) => /^\/ai(?:[/?#]|$)/.test(address);

/** Files and pages that a page leads to, each asked for once. */
const followed = new Map<string, Promise<number>>();

async function statusOf(kind: ProxyKind, address: string, as: Role | undefined): Promise<number> {
  const response = await ask(kind, address, as ? { as } : {});
  await response.body?.cancel();
  return response.status;
}

async function expectBelow(kind: ProxyKind, path: string, as: Role | undefined): Promise<void> {
  let response = await ask(kind, BASE + path, as ? { as } : {});
  const moved = response.headers.get("location");
  if (moved !== null) {
    expect(moved).toSatisfy(isBelow);
    response = await ask(kind, moved, as ? { as } : {});
  }
  const addresses = addressesIn(await response.text());
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((address) => !isBelow(address))).toEqual([]);
  const files = addresses.filter((address) => /^\/ai\/(?:assets|brand|product|icon|custom)/.test(address));
  for (const address of new Set(files)) {
    const key = `${kind} ${address.split("#")[0]}`;
    const status = followed.get(key) ?? statusOf(kind, address, as);
    followed.set(key, status);
    expect({ address, status: await status }).toEqual({ address, status: 200 });
  }
}

/** All behind one proxy. The other differs before anything is drawn, so that some show it. */
const shown = <Screen>(screens: readonly Screen[], kind: ProxyKind): Screen[] =>
  screens.filter((_, at) => kind === "keeps" || at % 8 === 0);

describe.each(PROXY_KINDS)("behind a proxy that %s the path, no address of a page leaves it", (kind) => {
  it.each(shown(SCREENS, kind))("%s", (path) => expectBelow(kind, path, "owner"));
  // A widget's page exists where there is a widget.
  const screens = shown(
    OPEN_SCREENS.filter(([path]) => !path.startsWith("/w/")),
    kind,
  );
  it.each(screens)("signed out, %s", (path) => expectBelow(kind, path, undefined));
  it("a widget's page", async () => {
    const body = JSON.stringify({
      name: `Desk ${kind}`,
      greeting: "Hello!",
      origins: ["https://site.example"],
    });
    const headers = { "content-type": "application/json" };
    const made = await ask(kind, `${BASE}/api/widgets`, { as: "owner", method: "POST", headers, body });
    const { path } = (await made.json()) as { path: string };
    await expectBelow(kind, path.startsWith(BASE) ? path.slice(BASE.length) : path, undefined);
  });
});

describe.each(PROXY_KINDS)("behind a proxy that %s the path", (kind) => {
  it.each(["", "/", "?range=7d"])("the dashboard is at the path, with %j after it", async (rest) => {
    const response = await ask(kind, BASE + rest, { as: "owner" });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Dashboard")]);
  });

  it("redirects of screens, forms and the API stay below it", async () => {
    const moved = async (path: string, options: Asked = {}) =>
      (await ask(kind, BASE + path, options)).headers.get("location");
    const { email, password } = people.member;
    const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });
    expect(await moved("/audit?range=30d")).toBe("/ai/api/login?returnTo=%2Faudit%3Frange%3D30d");
    expect(await moved("/api/login?returnTo=%2Faudit")).toBe("/ai/login?returnTo=%2Faudit");
    expect(await moved("/login?local=1&returnTo=%2Faudit", form({ email, password }))).toBe("/ai/audit");
    expect(await moved("/settings", { as: "owner" })).toMatch(/^\/ai\/settings\//);
    expect(await moved("/theme", { as: "owner", ...form({ theme: "light", returnTo: "/usage" }) })).toBe(
      "/ai/usage",
    );
    const data = await ask(kind, `${BASE}/settings.data`, { as: "owner", headers: { accept: "*/*" } });
    expect(await data.text()).toMatch(/"\/settings\/\w+"/);
  });

  it("its cookies are for the path alone", async () => {
    const { email, password } = people.viewer;
    const body = new URLSearchParams({ email, password });
    const response = await ask(kind, `${BASE}/login?local=1`, { method: "POST", body });
    const cookies = response.headers.getSetCookie();
    expect(cookies).toContainEqual(expect.stringMatching(/^qd_session=\S+; Path=\/ai; /));
    expect(cookies.filter((cookie) => !cookie.includes("; Path=/ai;"))).toEqual([]);
  });

  it("the API names addresses below it", async () => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const body = JSON.stringify({ name: `By ${kind}`, text: "Be brief." });
    const made = await ask(kind, `${BASE}/api/prompts`, { as: "owner", method: "POST", headers, body });
    expect(made.status, await made.clone().text()).toBe(201);
    const location = made.headers.get("location") ?? "";
    expect(location).toMatch(/^\/ai\/api\/prompts\/\w+$/);
    expect((await ask(kind, location, { as: "owner", headers: { accept: "application/json" } })).status).toBe(
      200,
    );
    const list = await ask(kind, `${BASE}/api/audit?limit=1`, { as: "owner", headers });
    expect(list.headers.get("link")).toMatch(/^<\/ai\/api\/audit\?/);
    const described = await ask(kind, `${BASE}/api/openapi.json`, { as: "owner", headers });
    expect(((await described.json()) as { servers: unknown }).servers).toEqual([
      { url: proxies.keeps.address },
    ]);
  });

  it("programs reach the gateway, the probes and the MCP server", async () => {
    const token = await server.createToken("owner");
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    expect((await ask(kind, `${BASE}/v1/models`, { headers })).status).toBe(200);
    expect((await ask(kind, `${BASE}/healthz`)).status).toBe(200);
    expect((await ask(kind, `${BASE}/mcp`, { headers })).status).toBe(405);
    const invited = await ask(kind, `${BASE}/api/members`, {
      as: "owner",
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ email: `${kind}@example.org`, role: "member" }),
    });
    const { inviteUrl } = (await invited.json()) as { inviteUrl: string };
    expect(inviteUrl).toContain(`${proxies.keeps.address}/invite/`);
    expect((await ask(kind, new URL(inviteUrl).pathname)).status).toBe(200);
  });

  it("no page is at a path that only begins like it", async () => {
    const response = await fetch(new URL("/aix/login", server.baseUrl), { headers: { accept: "text/html" } });
    expect(response.status).toBe(404);
  });
});

it("a conversation's pages, also where they stream without script, stay below the path", async () => {
  const headers = { "content-type": "application/json", accept: "*/*" };
  const messages = [{ role: "user", content: "a long story ".repeat(200) }];
  const body = JSON.stringify({ model: "quarterdeck-offline", messages });
  const sent = await ask("strips", `${BASE}/api/ai/chat`, { as: "member", method: "POST", headers, body });
  const id = sent.headers.get("x-conversation-id");
  // While the answer is being written, and after it.
  await expectBelow("strips", `/chat/${id}/live`, "member");
  await sent.text();
  await expectBelow("keeps", `/chat/${id}`, "member");
});
