import { test as base, expect, type Page } from "@playwright/test";
import axe from "axe-core";
import type { Role } from "~/core/actor";
import { type Hubs, startHubs } from "./hubs";
import { startServer, type TestServer } from "./server";

const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What a theme can change. Everything else of a page is the same in both, and is judged in the first. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

interface Options {
  /** Who is signed in; undefined for nobody. Set it with `test.use`. */
  role: Role | undefined;
  /** Errors that a test brings about on purpose, and that a page may therefore tell of. */
  expected: RegExp | undefined;
  /** Fails a test whose pages log an error, break the content policy or ask another host for something. */
  quiet: undefined;
  /** Opens an address and waits until its scripts, if the project has any, have taken over. */
  open: (path: string) => Promise<void>;
}

interface Workers {
  /** Whose server it is: a file with a name of its own here begins with an empty one. */
  serverOf: string;
  /** The model hubs that the server asks. */
  hubs: Hubs;
  /** A built server with people of every role, one for each of Playwright's workers. */
  server: TestServer;
}

export const test = base.extend<Options, Workers>({
  role: [undefined, { option: true }],
  expected: [undefined, { option: true }],
  serverOf: ["everybody", { option: true, scope: "worker" }],
  hubs: [
    async ({ playwright: _ }, use) => {
      const hubs = await startHubs();
      await use(hubs);
      await hubs.close();
    },
    { scope: "worker" },
  ],
  server: [
    async ({ hubs }, use) => {
      const server = await startServer({ env: hubs.env });
      await use(server);
      await server.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ server }, use) => use(server.baseUrl),
  storageState: async ({ server, role }, use) => {
    if (!role) return use({ cookies: [], origins: [] });
    const [name = "", value = ""] = server.cookieOf(role).split("=");
    const { hostname } = new URL(server.baseUrl);
    const cookie = { name, value, domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false };
    await use({ cookies: [{ ...cookie, sameSite: "Lax" }], origins: [] });
  },
  quiet: [
    async ({ context, server, expected }, use) => {
      const found: string[] = [];
      context.on("console", (message) => {
        // What a test asks for and isn't there is the test's own affair.
        if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
        found.push(message.text());
      });
      context.on("weberror", (error) => found.push(String(error.error())));
      context.on("request", (request) => {
        const url = request.url();
        if (/^https?:/.test(url) && !url.startsWith(server.baseUrl)) found.push(`a request to ${url}`);
      });
      await use(undefined);
      expect(found.filter((text) => !expected?.test(text))).toEqual([]);
    },
    { auto: true },
  ],
  open: async ({ page, javaScriptEnabled }, use) => {
    await use(async (path) => {
      await page.goto(path);
      if (javaScriptEnabled !== false)
        await page.locator("html[data-scripted]").waitFor({ state: "attached" });
    });
  },
});

export { expect };

/**
 * The page as it stands, in a context where axe's own script runs: without JavaScript a page has no timers, and axe
 * would wait for ever. The document's scripts are taken out, so that nothing upgrades what is judged.
 */
async function standingCopy(page: Page): Promise<Page> {
  const html = (await page.content()).replaceAll(
    /<script\b[^>]*>.*?<\/script>|<link rel="modulepreload"[^>]*>/gs,
    "",
  );
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  const context = await browser.newContext({ viewport: page.viewportSize(), javaScriptEnabled: true });
  const copy = await context.newPage();
  await copy.route(page.url(), (route) =>
    route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }),
  );
  await copy.goto(page.url());
  return copy;
}

/** What axe finds wrong with the page as it stands, in one theme. */
async function violations(page: Page, theme: string, runOnly: axe.RunOnly): Promise<string[]> {
  const found = await page.evaluate(
    ([name, only]) => {
      document.documentElement.dataset.theme = name;
      for (const animation of document.getAnimations()) {
        // A spinner's never ends.
        if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
      }
      const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
      return run(document, { runOnly: only, resultTypes: ["violations"] });
    },
    [theme, runOnly] as const,
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Expects that axe finds nothing on the page as it stands, in the dark and the light theme. */
export async function expectAccessible(page: Page): Promise<void> {
  const scripted = (await page.locator("html[data-scripted]").count()) > 0;
  const judged = scripted ? page : await standingCopy(page);
  // A change of theme fades; what is judged is where it ends.
  await judged.emulateMedia({ reducedMotion: "reduce" });
  const own = await judged.evaluate(() => document.documentElement.dataset.theme ?? "");
  await judged.evaluate(axe.source);
  const dark = await violations(judged, "dark", { type: "tag", values: WCAG_22_AA });
  expect(dark, `dark theme of ${page.url()}`).toEqual([]);
  const light = await violations(judged, "light", { type: "rule", values: OF_COLOURS });
  expect(light, `light theme of ${page.url()}`).toEqual([]);
  if (!scripted) return judged.context().close();
  await judged.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, own);
}
