import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { freePort, PROXY_KINDS, type Proxy, type ProxyKind, startProxy } from "../support/proxy";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";

// The console below a path of its host, behind proxies that hand the path on or take it away.

const BASE = "/ai";

let server: TestServer;
const proxies = {} as Record<ProxyKind, Proxy>;

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
  const sent = { accept: "text/html", origin: new URL(address).origin, ...headers };
  const cookie = as ? { cookie: server.cookieOf(as) } : {};
  return fetch(new URL(path, address), { redirect: "manual", ...init, headers: { ...sent, ...cookie } });
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
    [...text.matchAll(/(?:import|from)\s*\(?"([^"]+)"/g)].map(([, url]) => url),
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

describe.each(PROXY_KINDS)("behind a proxy that %s the path, no address of a page leaves it", (kind) => {
  it.each(SCREENS)("%s", (path) => expectBelow(kind, path, "owner"));
  it.each(OPEN_SCREENS)("signed out, %s", (path) => expectBelow(kind, path, undefined));
});
