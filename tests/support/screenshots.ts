import { mkdirSync, rmSync } from "node:fs";
import { type BrowserContext, chromium } from "@playwright/test";
import playwright from "../../playwright.config";
import { startAimock } from "./aimock";
import { findChromium } from "./chromium";
import { addCrowd, addUsual } from "./demo-data";
import { workflowScreens } from "./demo-workflows";
import { startHubs } from "./hubs";
import { OPEN_SCREENS, SCREENS } from "./screens";
import { startServer, type TestServer } from "./server";

// `npm run screenshots [-- /rag /chat]`: screens by path prefix at three widths, in both themes, with three amounts of
// data.
const prefixes = process.argv.slice(2);
const FOLDER = "screenshots";
const WIDTHS = [390, 1024, 1440];
const THEMES = ["dark", "light"];

const fileName = (path: string) =>
  path
    .replace(/^\//, "")
    .replace(/[^a-z0-9]+/gi, "-")
    .slice(0, 100) || "start";

async function shoot(
  context: BrowserContext,
  server: TestServer,
  state: string,
  screens: readonly (readonly [string, string])[],
): Promise<void> {
  const page = await context.newPage();
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const [path] of screens) {
    if (prefixes.length > 0 && !prefixes.some((beginning) => path.startsWith(beginning))) continue;
    await page.goto(server.baseUrl + path);
    await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 800 ? 844 : 900 });
      for (const theme of THEMES) {
        await page.evaluate((name) => {
          document.documentElement.dataset.theme = name;
        }, theme);
        await page.screenshot({
          path: `${FOLDER}/${state}/${width}-${theme}/${fileName(path)}.png`,
          fullPage: true,
        });
      }
    }
  }
  await page.close();
}

async function newest(server: TestServer, list: string): Promise<string | undefined> {
  const items = (await (await server.ask(list, { as: "owner" })).json()) as { id: string }[];
  return items[0]?.id;
}

const DOCUMENT_VIEWS = [
  "",
  "?tab=search&q=pager+at+night",
  "?tab=chunks",
  "?tab=versions",
  "?tab=details",
  "?version=1",
  "?dialog=access",
];

/** Adds addresses with ids. */
async function screensOf(server: TestServer): Promise<readonly (readonly [string, string])[]> {
  const conversation = await newest(server, "/api/ai/conversations");
  const comparison = await newest(server, "/api/ai/comparisons");
  const document = await newest(server, "/api/rag/documents?search=operations-manual");
  return [
    ...SCREENS,
    ...(await workflowScreens(server)),
    ...(conversation ? [[`/chat/${conversation}`, "AI Chat"] as const] : []),
    ...(document ? DOCUMENT_VIEWS.map((view) => [`/rag/${document}${view}`, "Document"] as const) : []),
    ...(comparison ? [[`/compare/${comparison}`, "Comparison"] as const] : []),
  ];
}

const executablePath = await findChromium();
if (!executablePath) process.exit(1);
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const mock = await startAimock({ embeds: true });
const hubs = await startHubs();
const server = await startServer({ env: { ...hubs.env, OPENAI_API_KEY: "sk-not-a-real-one" } });
const browser = await chromium.launch({ executablePath, args: playwright.use?.launchOptions?.args ?? [] });
try {
  const signedOut = await browser.newContext();
  await shoot(signedOut, server, "signed-out", OPEN_SCREENS);
  const context = await browser.newContext();
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  await shoot(context, server, "empty", await screensOf(server));
  await addUsual(server, `${mock.url}/v1`);
  await shoot(context, server, "usual", await screensOf(server));
  await addCrowd(server, `${mock.url}/v1`);
  await shoot(context, server, "crowded", await screensOf(server));
} finally {
  await browser.close();
  await server.close();
  await hubs.close();
  await mock.stop();
}
console.log(`The pictures are in ${FOLDER}/.`);
