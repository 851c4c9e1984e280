import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";

/** A screen's scripts by gzip, in KB of 1,000 bytes. docs/performance.md has the aims. */
const MAX_KILOBYTES = 124;
/** Requests of a screen: the document, scripts, style sheet, font, favicon and icons. */
const MAX_REQUESTS = 20;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const sizes = new Map<string, number>();
function sizeOf(asset: string): number {
  const cached = sizes.get(asset);
  if (cached !== undefined) return cached;
  const size = gzipSync(readFileSync(join("build/client", asset)), { level: 9 }).length;
  sizes.set(asset, size);
  return size;
}

/** Whether a script brings zod, by the name of its error. */
const hasValidator = (asset: string) =>
  readFileSync(join("build/client", asset), "utf8").includes("ZodError");

/** Every script that a page loads by itself: those it runs and what they import, which it names as preloads. */
async function scriptsOf(path: string, as?: "owner"): Promise<string[]> {
  const headers = { accept: "text/html" };
  let response = await server.ask(path, { ...(as ? { as } : {}), headers });
  const moved = response.headers.get("location");
  if (moved) response = await server.ask(moved, { ...(as ? { as } : {}), headers });
  const page = await response.text();
  const named = page.matchAll(/(?:<link rel="modulepreload" href=|\bimport (?:\* as \w+ from )?)"([^"]+)"/g);
  return [...new Set([...named].map(([, asset = ""]) => asset))];
}

const kilobytes = (assets: readonly string[]) =>
  assets.reduce((total, asset) => total + sizeOf(asset), 0) / 1000;

describe("a screen's scripts", () => {
  it.each(SCREENS)("of %s are few and light", async (path) => {
    const assets = await scriptsOf(path, "owner");
    expect({ path, scripts: assets.length > 0 }).toEqual({ path, scripts: true });
    expect(kilobytes(assets)).toBeLessThanOrEqual(MAX_KILOBYTES);
    expect(assets.filter(hasValidator)).toEqual([]);
    expect(assets.length + 5).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it.each(OPEN_SCREENS)("signed out, %s has none", async (path) => {
    expect(await scriptsOf(path)).toEqual([]);
  });
});

describe("the style sheet", () => {
  const pageFor = (cookie?: string) =>
    server.ask("/login?local=1", { headers: { accept: "text/html", ...(cookie ? { cookie } : {}) } });
  const LINK = /<link rel="stylesheet" href="(\/assets\/styles-[\w-]+\.css)"/;

  it("is part of a browser's first page, and a file for the next", async () => {
    const first = await pageFor();
    const page = await first.text();
    const [, text = ""] = /<style nonce="[^"]+" data-styles="">(.*?)<\/style>/s.exec(page) ?? [];
    const [, href = ""] = /<link rel="prefetch" as="style" href="([^"]+)"/.exec(page) ?? [];
    expect(text).toBe(readFileSync(join("build/client", href), "utf8"));
    expect(page).not.toMatch(LINK);

    const [cookie = ""] =
      first.headers
        .getSetCookie()
        .find((line) => line.includes("styles"))
        ?.split(";") ?? [];
    const next = await pageFor(cookie);
    const nextPage = await next.text();
    expect(LINK.exec(nextPage)?.[1]).toBe(href);
    expect(nextPage).not.toContain("data-styles");
    expect(next.headers.getSetCookie()).toEqual([]);
  });

  it("is part of the page again where the browser has another build's", async () => {
    expect(await (await pageFor("qd_styles=styles-older")).text()).toContain("data-styles");
  });
});
