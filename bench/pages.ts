import { gzipSync } from "node:zlib";
import { startAimock } from "../tests/support/aimock";
import {
  type Browser,
  type BrowserContext,
  chromium,
  findChromium,
  type Page,
  type Request,
} from "../tests/support/chromium";
import { addUsual } from "../tests/support/demo-data";
import { startServer, type TestServer } from "../tests/support/server";
import { median } from "./statistics";

// `npm run build && npm run bench:pages`: requests, JavaScript, largest contentful paint and layout shift of each screen
// with an empty cache, on a desktop and on a throttled phone; then the time from a click to a dialog, to a tab, and to
// the next screen's heading.
const SCREENS = [
  "/",
  "/chat",
  "/compare",
  "/personas",
  "/rag",
  "/rag/check",
  "/settings/providers",
  "/settings/members",
  "/settings/profile",
  "/audit",
];
const OPEN_SCREENS = ["/", "/login?local=1"];

/** Selectors of dialog links. */
const DIALOGS: readonly (readonly [path: string, link: string])[] = [
  ["/workflows", "dialog=new"],
  ["/personas", "dialog=new"],
  ["/rag", "dialog=ingest"],
  ["/rag", "dialog=search"],
  ["/rag/categories", "dialog=new"],
  ["/rag/check", "dialog=add"],
  ["/settings/providers", "dialog=add-provider"],
  ["/settings/providers", "dialog=add-model"],
  ["/settings/providers", "dialog=edit-model"],
  ["/settings/keys", "dialog=add-key"],
  ["/settings/members", "dialog=invite"],
  ["/settings/members", "dialog=group"],
  ["/settings/profile", "dialog=password"],
];
/** Tab links by screen. */
const TABS: readonly (readonly [path: string, link: string])[] = [
  ["/rag", "panel=settings"],
  ["/rag?dialog=ingest&tab=text", "tab=file"],
  ["/extensions", "tab=installed"],
  ["/settings/profile", "/settings/keys"],
  ["/usage", "/usage/budgets"],
];
const NAVIGATIONS = ["/chat", "/workflows", "/extensions", "/personas", "/rag", "/audit", "/settings", "/"];
const ROUNDS = 5;

interface Figures {
  requests: number;
  /** Gzipped scripts, in KB of 1,000 bytes. */
  gzipKb: number;
  wireKb: number;
  lcpMs: number;
  shift: number;
}

/** In the page: records the largest paint and sums layout shifts. */
const WATCH = `window.__paints = { lcp: 0, shift: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__paints.lcp = entry.startTime })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__paints.shift += entry.value })
    .observe({ type: "layout-shift", buffered: true });`;

/** A middling phone on a slow mobile network, as Lighthouse has it. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const PHONE_SLOWDOWN = 4;
const PHONE_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 768_000 / 8,
};

async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: PHONE_SLOWDOWN });
  await session.send("Network.emulateNetworkConditions", PHONE_NETWORK);
}

async function open(
  context: BrowserContext,
  url: string,
  isPhone = false,
): Promise<{ page: Page; figures: Figures }> {
  const page = await context.newPage();
  if (isPhone) await throttle(page);
  await page.addInitScript(WATCH);
  const figures: Figures = { requests: 0, gzipKb: 0, wireKb: 0, lcpMs: 0, shift: 0 };
  const sizes: Promise<void>[] = [];
  const addSizes = async (request: Request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    figures.wireKb += (responseBodySize + responseHeadersSize) / 1000;
    const body = await (await fetch(request.url())).arrayBuffer();
    figures.gzipKb += gzipSync(new Uint8Array(body), { level: 9 }).length / 1000;
  };
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) figures.requests++;
  });
  page.on("requestfinished", (request) => {
    if (request.url().endsWith(".js")) sizes.push(addSizes(request));
  });
  await page.goto(url, { waitUntil: "load" });
  await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
  // Syntax highlighting loads its own script last.
  if (await page.locator("pre").count()) await page.locator("pre code span").first().waitFor();
  // Lazy pictures aren't part of the page's load.
  await page.waitForFunction(() =>
    [...document.images].every(
      (image) =>
        image.complete || !image.checkVisibility() || image.getBoundingClientRect().top > innerHeight,
    ),
  );
  // Shifts of the hydration are reported with the next frames.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  page.removeAllListeners("requestfinished");
  await Promise.all(sizes);
  const { lcp, shift } = await page.evaluate<{ lcp: number; shift: number }>("window.__paints");
  return { page, figures: { ...figures, lcpMs: lcp, shift } };
}

interface Visit {
  path: string;
  signedIn: boolean;
  isPhone?: boolean;
}

async function measure(browser: Browser, server: TestServer, { path, signedIn, isPhone = false }: Visit) {
  const context = await browser.newContext(isPhone ? PHONE : { viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  if (signedIn) await context.addCookies([{ name, value, url: server.baseUrl }]);
  const { figures } = await open(context, server.baseUrl + path, isPhone);
  await context.close();
  return figures;
}

/** A conversation with a table and a code block. */
async function chatWithCode(server: TestServer): Promise<string> {
  const response = await server.ask("/api/ai/conversations?limit=50", { as: "owner" });
  const found = ((await response.json()) as { id: string; title: string }[]).find(
    ({ title }) => title === "Show me a table",
  );
  if (!found) throw new Error("There is no conversation with code.");
  return `/chat/${found.id}`;
}

/** In the page: time from a click until `done` is true after a frame (ms). */
const CLICK = `async ([selector, done]) => {
  const isDone = new Function("return " + done);
  const link = document.querySelector(selector);
  if (!link) return undefined;
  const begun = performance.now();
  link.click();
  while (!isDone() && performance.now() - begun < 5000) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}`;

/** Waits for the navigation to finish: going back earlier would leave the page. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      // Documents and runs in progress have their own progress bars.
      !document.querySelector("[aria-label=Loading]:is([role=progressbar], [role=status])") &&
      window.__remixRouter.state.navigation.state === "idle" &&
      window.__remixRouter.state.revalidation === "idle",
  );
}

/** Median time of a click; each round returns to the start. */
async function clickTimes(page: Page, selector: string, done: string): Promise<number | undefined> {
  const times: number[] = [];
  const from = page.url();
  for (let round = 0; round < ROUNDS; round++) {
    const time = await page.evaluate<number | undefined>(`(${CLICK})(${JSON.stringify([selector, done])})`);
    if (time === undefined) return undefined;
    times.push(time);
    // The dialog may show before the address changes.
    await page.waitForFunction((address) => location.href !== address, from);
    await settled(page);
    // Drawn once its code has loaded; before that, going back would race with it.
    await page.evaluate(`(async () => { while (!(${done})) await new Promise(requestAnimationFrame); })()`);
    await page.evaluate(() => history.back());
    await page.waitForFunction((address) => location.href === address, from);
    // Inlined: the content security policy forbids `eval` in the page.
    await page.evaluate(`(async () => { while (${done}) await new Promise(requestAnimationFrame); })()`);
    await settled(page);
  }
  return median(times);
}

async function measureClicks(browser: Browser, server: TestServer): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  console.log("\n| dialog | from click to dialog, ms |\n|---|---|");
  for (const [path, link] of DIALOGS) {
    const { page } = await open(context, server.baseUrl + path);
    const time = await clickTimes(page, `main a[href*="${link}"]`, `document.querySelector("dialog[open]")`);
    console.log(`| ${path}?${link} | ${time?.toFixed(0) ?? "no link"} |`);
    await page.close();
  }
  console.log("\n| tab | from click to its being marked, ms |\n|---|---|");
  for (const [path, link] of TABS) {
    const { page } = await open(context, server.baseUrl + path);
    const tab = `a[href*="${link}"]:is(nav *, [role=tablist] *)`;
    const time = await clickTimes(page, tab, `document.querySelector('${tab}[aria-current]')`);
    console.log(`| ${path} to ${link} | ${time?.toFixed(0) ?? "no link"} |`);
    await page.close();
  }
  console.log("\n| screen | from click to heading, ms |\n|---|---|");
  for (const path of NAVIGATIONS) {
    const { page } = await open(context, server.baseUrl + (path === "/personas" ? "/audit" : "/personas"));
    const heading = await page.locator("h1").innerText();
    const isNew = `document.querySelector("main h1") && document.querySelector("main h1").innerText !== ${JSON.stringify(heading)}`;
    const time = await clickTimes(page, `aside nav a[href="${path}"]`, isNew);
    console.log(`| ${path} | ${time?.toFixed(0) ?? "no link"} |`);
    await page.close();
  }
  await context.close();
}

const found = await findChromium();
if (!found) throw new Error("There is no Chromium.");
const mock = await startAimock();
const server = await startServer({ env: { EGRESS_ALLOW: new URL(mock.url).host } });
const browser = await chromium.launch({ executablePath: found });
try {
  await addUsual(server, `${mock.url}/v1`);
  const row = async (name: string, path: string, signedIn: boolean) => {
    const { requests, gzipKb, wireKb, lcpMs, shift } = await measure(browser, server, { path, signedIn });
    const phone = await measure(browser, server, { path, signedIn, isPhone: true });
    const paints = [lcpMs.toFixed(0), shift.toFixed(3), phone.lcpMs.toFixed(0), phone.shift.toFixed(3)];
    console.log(
      `| ${name} | ${requests} | ${gzipKb.toFixed(0)} | ${wireKb.toFixed(0)} | ${paints.join(" | ")} |`,
    );
  };
  console.log(
    "| screen | requests | JavaScript, KB gzip | on the wire, KB | LCP, ms | layout shift | on a throttled phone: LCP, ms | layout shift |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const path of OPEN_SCREENS) await row(`signed out, ${path}`, path, false);
  for (const path of SCREENS) await row(path, path, true);
  await row("a chat with code", await chatWithCode(server), true);
  await measureClicks(browser, server);
} finally {
  await browser.close();
  await server.close();
  await mock.stop();
}
