import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Browser,
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  expect,
  type Page,
  type Request,
  type WebError,
} from "@playwright/test";
import type axe from "axe-core";
import type { Role } from "~/core/actor";
import { type Hubs, startHubs } from "./hubs";
import { KeptContext } from "./kept-context";
import type { TestServer } from "./server";
import { type Servers, serversFor } from "./servers";

/** Whether axe judges each state in both themes, without script too, and in windows of three widths (`npm run test:axe`). */
export const IS_FULL = process.env.AXE_MATRIX === "all";

/** Minified: each page compiles it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Shared by all screens. */
const SHELL = ["aside", "aside ~ div > header"];
const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Rules that depend on the theme; others run in one theme. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

interface Options {
  /** Undefined when signed out. Set it with `test.use`. */
  role: Role | undefined;
  /** Expected errors of a test's pages. */
  expected: RegExp | undefined;
  /** Files with their own name begin with an empty server. */
  serverOf: string;
  /** Whether no page shares the test's renderer process, in which "offline" holds for all pages. */
  ownContext: boolean;
  /** A built server with a person per role. */
  server: TestServer;
  /** Fails tests whose pages log errors, violate the CSP or contact other hosts. */
  quiet: undefined;
  /** Opens an address and waits for hydration. */
  open: (path: string) => Promise<void>;
}

interface Workers {
  /** Model hubs for the servers. */
  hubs: Hubs;
  servers: Servers;
  kept: KeptContext;
}

/** No blurs: drawn in software, each frame of one takes 40 ms. Playwright has no option for the preference. */
async function reduceTransparency(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-reduced-transparency", value: "reduce" }],
  });
}

/** `SLOW_PAGES=8`: pages whose scripts take that many times as long, to find what depends on their speed. */
async function slowDown(page: Page): Promise<void> {
  const rate = Number(process.env.SLOW_PAGES ?? 1);
  if (rate === 1) return;
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate });
}

export const test = base.extend<Options, Workers>({
  role: [undefined, { option: true }],
  expected: [undefined, { option: true }],
  // Not a worker option: each value would start another browser.
  serverOf: ["everybody", { option: true }],
  ownContext: [false, { option: true }],
  hubs: [
    async ({ playwright: _ }, use) => {
      const hubs = await startHubs();
      await use(hubs);
      await hubs.close();
    },
    { scope: "worker" },
  ],
  servers: [
    async ({ hubs }, use) => {
      const servers = serversFor(hubs.env);
      await use(servers);
      await servers.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  server: [
    async ({ servers, serverOf }, use) => use(await servers.of(serverOf)),
    { scope: "test", timeout: 60_000 },
  ],
  kept: [
    async ({ browser }, use) => {
      const kept = new KeptContext(browser);
      await use(kept);
      await kept.close();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server.baseUrl),
  context: async ({ browser, kept, server, role, ownContext }, use) => {
    const baseURL = server.baseUrl;
    const context = ownContext ? await browser.newContext({ baseURL }) : await kept.fresh(baseURL);
    const [name = "", value = ""] = role ? server.cookieOf(role).split("=") : [];
    if (role)
      await context.addCookies([{ name, value, url: server.baseUrl, httpOnly: true, sameSite: "Lax" }]);
    await use(context);
    if (ownContext) await context.close();
  },
  page: async ({ context, baseURL: _ }, use) => {
    const page = await context.newPage();
    await reduceTransparency(page);
    await slowDown(page);
    await use(page);
    await page.close();
  },
  quiet: [
    async ({ context, server, expected }, use) => {
      const found: string[] = [];
      const onMessage = (message: ConsoleMessage) => {
        // Tests check missing resources themselves.
        if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
        found.push(message.text());
      };
      const onError = (error: WebError) => found.push(error.error().stack ?? String(error.error()));
      const onRequest = (request: Request) => {
        const url = request.url();
        if (/^https?:/.test(url) && !url.startsWith(server.baseUrl)) found.push(`a request to ${url}`);
      };
      context.on("console", onMessage).on("weberror", onError).on("request", onRequest);
      await use(undefined);
      context.off("console", onMessage).off("weberror", onError).off("request", onRequest);
      expect(found.filter((text) => !expected?.test(text))).toEqual([]);
    },
    { auto: true },
  ],
  open: async ({ page, javaScriptEnabled }, use) => {
    await use(async (path) => {
      await page.goto(path);
      if (javaScriptEnabled !== false)
        await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
    });
  },
});

/** Opens a chat's settings, which are closed until they were left open. */
export async function openSettings(page: Page): Promise<void> {
  if (await page.getByRole("complementary", { name: "Chat Settings" }).isVisible()) return;
  await page.getByRole("link", { name: /^Chat settings/ }).click();
}

export { expect };

/** Contexts for copies; an empty page keeps the window open. */
const judging = new WeakMap<Browser, BrowserContext>();

/** A copy of the page for axe, without its scripts: pages without JavaScript have no timers, on which axe waits. */
async function standingCopy(page: Page): Promise<Page> {
  // A copy of a loading page would be partial.
  await page.waitForLoadState("domcontentloaded");
  const html = (await page.content()).replaceAll(
    /<script\b[^>]*>.*?<\/script>|<link rel="modulepreload"[^>]*>/gs,
    "",
  );
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  let context = judging.get(browser);
  if (!context) {
    context = await browser.newContext({ javaScriptEnabled: true });
    await context.newPage();
    judging.set(browser, context);
  }
  const copy = await context.newPage();
  const size = page.viewportSize();
  if (size) await copy.setViewportSize(size);
  await copy.route(page.url(), (route) =>
    route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }),
  );
  await copy.goto(page.url());
  return copy;
}

/** Axe's findings in one theme. */
async function violations(
  page: Page,
  theme: string,
  runOnly: axe.RunOnly,
  context: { include: string[]; exclude: string[] },
): Promise<string[]> {
  const found = await page.evaluate(
    ([name, only, within]) => {
      document.documentElement.dataset.theme = name;
      for (const animation of document.getAnimations()) {
        // Spinners never end.
        if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
      }
      const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
      return run(within, { runOnly: only, resultTypes: ["violations"], selectors: false });
    },
    [theme, runOnly, context] as const,
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

interface AxeOptions {
  /** Also judges the navigation and the header, which screens.spec.ts does. */
  shell?: boolean;
}

/** Expects that axe finds nothing on the page as it stands, in the dark theme; the light one differs in colors alone. */
export async function expectAccessible(page: Page, { shell = false }: AxeOptions = {}): Promise<void> {
  const { file, project } = test.info();
  const scripted = project.use.javaScriptEnabled !== false;
  // The same state is judged in the same test with script.
  if (!scripted && !IS_FULL && !file.endsWith(".no-javascript.spec.ts")) return;
  if (scripted) await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
  const judged = scripted ? page : await standingCopy(page);
  // Themes fade.
  await judged.emulateMedia({ reducedMotion: "reduce" });
  // axe skips contrast over background images, such as the pattern's 5 % lines.
  const own = await judged.evaluate(() => {
    const { theme = "", pattern = "" } = document.documentElement.dataset;
    document.documentElement.dataset.pattern = "none";
    return { theme, pattern };
  });
  await judged.evaluate(AXE);
  const context = { include: ["html"], exclude: shell ? [] : SHELL };
  const dark = await violations(judged, "dark", { type: "tag", values: WCAG_22_AA }, context);
  expect(dark, `dark theme of ${page.url()}`).toEqual([]);
  if (IS_FULL) {
    const light = await violations(judged, "light", { type: "rule", values: OF_COLOURS }, context);
    expect(light, `light theme of ${page.url()}`).toEqual([]);
  }
  if (!scripted) return judged.close();
  await judged.evaluate((before) => Object.assign(document.documentElement.dataset, before), own);
}

/** No horizontal scrolling, on a phone at least. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of IS_FULL ? [360, 768, 2560] : [360]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([width, beyond]).toEqual([width, 0]);
  }
}
