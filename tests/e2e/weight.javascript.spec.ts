import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { expect, IS_FULL, test } from "../support/fixtures";
import { hold } from "../support/hold";
import type { TestServer } from "../support/server";

/** Maximum gzip size of scripts, in KB of 1,000 bytes; docs/performance.md has the aims. */
const MAX_KILOBYTES = { conversation: 180, builder: 210 };
const MAX_REQUESTS = { conversation: 52, builder: 40 };

const ANSWER =
  "A loop:\n\n```js\nfor (const one of all) await one();\n```\n\nIts time:\n\n$$\\sum_{i=1}^n t_i$$\n";

test.use({ role: "owner", serverOf: "weight" });

/** Everything that is asked for from now on, and the size of its scripts by gzip. */
function watchRequests(page: Page, server: TestServer) {
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  const kilobytes = async () => {
    let bytes = 0;
    for (const url of urls.filter((url) => url.endsWith(".js"))) {
      const body = await (await server.ask(new URL(url).pathname)).arrayBuffer();
      bytes += gzipSync(new Uint8Array(body), { level: 9 }).length;
    }
    return bytes / 1000;
  };
  return { urls, kilobytes };
}

test("a conversation with code and a formula loads little by itself", async ({ page, open, server }) => {
  const mock = await startAimock();
  mock.onMessage("loop", { content: ANSWER });
  await addMockProvider(server, mock);
  const json = { model: AIMOCK_MODEL, messages: [{ role: "user", content: "a loop" }], tools: [] };
  const sent = await server.ask("/api/ai/chat", { as: "owner", json });
  await sent.text();
  const address = `/chat/${sent.headers.get("x-conversation-id")}`;
  // The first visit marks it as read, after which the page would load again.
  await server.ask(address, { as: "owner", headers: { accept: "text/html" } });

  const { urls, kilobytes } = watchRequests(page, server);
  await open(address);
  await expect(page.locator("math")).toBeVisible();
  await expect(page.locator("pre code span").first()).toBeVisible();
  await page.waitForLoadState("load");

  expect(urls.some((url) => url.includes("highlight.worker"))).toBe(true);
  expect(await kilobytes()).toBeLessThanOrEqual(MAX_KILOBYTES.conversation);
  expect(urls.length, urls.join("\n")).toBeLessThanOrEqual(MAX_REQUESTS.conversation);
  await mock.stop();
});

test("the builder loads its canvas and little else", async ({ page, open, server }) => {
  const { urls, kilobytes } = watchRequests(page, server);
  await open("/workflows/builder");
  await expect(page.locator(".react-flow__pane")).toBeVisible();
  await page.waitForLoadState("load");
  expect(await kilobytes()).toBeLessThanOrEqual(MAX_KILOBYTES.builder);
  expect(urls.length, urls.join("\n")).toBeLessThanOrEqual(MAX_REQUESTS.builder);
});

test.describe("with an empty cache", () => {
  test.use({ ownContext: true });

  test("the first page waits for no style sheet, and the second has it in the cache", async ({
    page,
    open,
  }) => {
    const { release } = await hold(page, /\/assets\/styles-/);
    const prefetched = page.waitForEvent("requestfinished", (request) => request.url().includes("/styles-"));
    await open("/personas");
    await expect(page.locator("aside")).toHaveCSS("position", "sticky");
    release();
    await prefetched;
    await page.unrouteAll();
    await open("/prompts");
    await expect(page.locator("aside")).toHaveCSS("position", "sticky");
    const [sheet] = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map((entry) => entry as PerformanceResourceTiming)
        .filter(({ name }) => name.includes("/styles-"))
        .map(({ transferSize, decodedBodySize }) => ({ transferSize, isWhole: decodedBodySize > 0 })),
    );
    expect(sheet).toEqual({ transferSize: 0, isWhole: true });
  });
});

/** In the page: the layout shifts since it began, with what moved. */
const RECORD_SHIFTS = `window.__shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.__shifts.push({ value, moved: sources.map(({ node }) => node?.textContent.trim().slice(0, 60)) });
  }).observe({ type: "layout-shift", buffered: true });`;

test.describe("on a phone", () => {
  test.use({ ownContext: true, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  const SCREENS = ["/", "/chat", "/rag", ...(IS_FULL ? ["/compare", "/settings/members", "/audit"] : [])];
  for (const [path, role] of [
    ["/", undefined],
    ...SCREENS.map((path) => [path, "owner"] as const),
  ] as const) {
    test.describe(`${path}, ${role ? "signed in" : "signed out"},`, () => {
      test.use({ role });

      test("stays still when its font and its scripts arrive after it", async ({ page }) => {
        await page.addInitScript(RECORD_SHIFTS);
        const late = await hold(page, /\.(?:woff2|js)$/);
        await page.goto(path, { waitUntil: "commit" });
        await page.waitForFunction(
          () =>
            document.readyState !== "loading" &&
            performance.getEntriesByName("first-contentful-paint").length > 0,
        );
        // On a busy machine the page is painted before all of it is parsed, which may move what is there.
        await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
          .then(() => { window.__shifts = []; })`);
        late.release();
        await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
        await page.waitForLoadState("load");
        // Shifts are reported with the next frames.
        const shifts = await page.evaluate<{ value: number; moved: string[] }[]>(
          `document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
            .then(() => window.__shifts)`,
        );
        const total = shifts.reduce((sum, { value }) => sum + value, 0);
        expect(total, JSON.stringify(shifts)).toBeLessThanOrEqual(0.001);
      });
    });
  }
});
