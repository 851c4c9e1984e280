import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { startAimock } from "../tests/support/aimock";
import { findChromium } from "../tests/support/chromium";
import { addUsual } from "../tests/support/demo-data";
import { startServer, type TestServer } from "../tests/support/server";

// `npm run build && npm run bench:pages`: requests, bytes of JavaScript on the wire and the largest contentful paint of
// each screen with an empty cache.
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

interface Figures {
  requests: number;
  scriptKb: number;
  lcpMs: number;
}

/** In the page, before its own scripts: keeps the time of the largest paint so far. */
const WATCH = `new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__lcp = entry.startTime })
  .observe({ type: "largest-contentful-paint", buffered: true });`;

async function open(context: BrowserContext, url: string): Promise<{ page: Page; figures: Figures }> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const scripts = new Set<string>();
  const figures = { requests: 0, scriptKb: 0, lcpMs: 0 };
  session.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
    if (!request.url.startsWith("data:")) figures.requests++;
    if (type === "Script" || request.url.endsWith(".js")) scripts.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) figures.scriptKb += encodedDataLength / 1000;
  });
  await page.goto(url, { waitUntil: "load" });
  await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
  figures.lcpMs = await page.evaluate(() => (globalThis as unknown as { __lcp?: number }).__lcp ?? 0);
  return { page, figures };
}

async function measure(browser: Browser, server: TestServer, path: string, signedIn: boolean) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  if (signedIn) await context.addCookies([{ name, value, url: server.baseUrl }]);
  const { figures } = await open(context, server.baseUrl + path);
  await context.close();
  return figures;
}

const found = await findChromium();
if (!found) throw new Error("There is no Chromium.");
const mock = await startAimock();
const server = await startServer({ env: { EGRESS_ALLOW: new URL(mock.url).host } });
const browser = await chromium.launch({ executablePath: found });
try {
  await addUsual(server, `${mock.url}/v1`);
  const row = (path: string, { requests, scriptKb, lcpMs }: Figures) =>
    console.log(`| ${path} | ${requests} | ${scriptKb.toFixed(0)} | ${lcpMs.toFixed(0)} |`);
  console.log("| screen | requests | JavaScript on the wire, KB | LCP, ms |\n|---|---|---|---|");
  for (const path of OPEN_SCREENS) row(`signed out, ${path}`, await measure(browser, server, path, false));
  for (const path of SCREENS) row(path, await measure(browser, server, path, true));
} finally {
  await browser.close();
  await server.close();
  await mock.stop();
}
