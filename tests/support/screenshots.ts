import { mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import playwright from "../playwright.config";
import { startAimock } from "./aimock";
import { addCrowd, addUsual } from "./demo-data";
import { workflowScreens } from "./demo-workflows";
import { takeGuidePictures } from "./guide-pictures";
import { startHubs } from "./hubs";
import { addScreenData } from "./screen-data";
import { OPEN_SCREENS, SCREENS } from "./screens";
import { startServer, type TestServer } from "./server";

// `npm run screenshots [-- /rag /chat --states=usual --widths=390 --themes=dark --media=print --dialogs]`: screens by path
// prefix, each option a list. `--dialogs` opens every dialog that the screens link to. `--guide` takes the pictures of
// docs/getting-started.md in place of them.
const { positionals: prefixes, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    states: { type: "string", default: "signed-out,empty,usual,crowded" },
    widths: { type: "string", default: "390,1024,1440" },
    themes: { type: "string", default: "dark,light" },
    media: { type: "string", default: "screen" },
    dialogs: { type: "boolean", default: false },
    guide: { type: "boolean", default: false },
  },
});
const FOLDER = "screenshots";
const states = options.states.split(",");
const widths = options.widths.split(",").map(Number);
const themes = options.themes.split(",");
const media = options.media.split(",");

type Screens = readonly (readonly [path: string, heading: string])[];

const fileName = (path: string) =>
  path
    .replace(/^\//, "")
    .replace(/[^a-z0-9]+/gi, "-")
    .slice(0, 100) || "start";

/** A dialog is shown as a person sees it, and once more at its end where it scrolls; a page in its full length. */
async function take(page: Page, path: string): Promise<void> {
  const dialog = page.locator("dialog[open]").last();
  const isOpen = await dialog.isVisible();
  await page.screenshot({ path: `${path}.png`, fullPage: !isOpen });
  if (!isOpen) return;
  const scrolls = await dialog.evaluate((element) => {
    const parts = [element, ...element.querySelectorAll("*")];
    const scrolling = parts.filter(
      (part) => part.scrollHeight > part.clientHeight + 4 && part.clientHeight > 200,
    );
    for (const part of scrolling) part.scrollTop = part.scrollHeight;
    return scrolling.some((part) => part.scrollTop > 0);
  });
  if (!scrolls) return;
  await page.screenshot({ path: `${path}-end.png` });
  // The next theme begins at its top again.
  await dialog.evaluate((element) => {
    for (const part of [element, ...element.querySelectorAll("*")]) part.scrollTop = 0;
  });
}

/** Screens wider than their window, which no reader expects. */
const wide = new Set<string>();

async function noteWidth(page: Page, name: string): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (beyond > 0) wide.add(`${name}: ${beyond} pixels`);
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
}

/** Dialogs that the screens link to, one of a kind for each page. */
async function findDialogs(context: BrowserContext, server: TestServer, screens: Screens): Promise<Screens> {
  const page = await context.newPage();
  const found = new Map<string, string>();
  for (const [path] of screens) {
    await open(page, server.baseUrl + path);
    const links = page.locator('a[href*="dialog="]');
    const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    for (const address of addresses) {
      const { pathname, search, searchParams } = new URL(address);
      const kind = `${pathname.replace(/[a-z]+_[0-9a-z]{12,}/g, "")} ${searchParams.get("tab")} ${searchParams.get("dialog")}`;
      if (!found.has(kind)) found.set(kind, pathname + search);
    }
  }
  await page.close();
  return [...found.values()].map((path) => [path, ""]);
}

async function shoot(
  context: BrowserContext,
  server: TestServer,
  state: string,
  all: Screens,
): Promise<void> {
  if (!states.includes(state)) return;
  const chosen = all.filter(
    ([path]) =>
      prefixes.length === 0 ||
      // Every path begins with the dashboard's.
      prefixes.some((beginning) => (beginning === "/" ? path === "/" : path.startsWith(beginning))),
  );
  const screens = options.dialogs ? await findDialogs(context, server, chosen) : chosen;
  const page = await context.newPage();
  for (const [path] of screens) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 800 ? 844 : 900 });
      await page.emulateMedia({ reducedMotion: "reduce" });
      await open(page, server.baseUrl + path);
      await noteWidth(page, `${state} ${width} ${path}`);
      for (const theme of themes) {
        await page.evaluate((name) => {
          document.documentElement.dataset.theme = name;
        }, theme);
        for (const kind of media) {
          await page.emulateMedia({
            media: kind === "print" ? "print" : "screen",
            forcedColors: kind === "forced-colors" ? "active" : "none",
            colorScheme: theme === "light" ? "light" : "dark",
          });
          const folder = [width, theme, kind].filter((part) => part !== "screen").join("-");
          await take(page, `${FOLDER}/${state}/${folder}/${fileName(path)}`);
        }
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
async function screensOf(server: TestServer): Promise<Screens> {
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
if (options.guide) {
  const args = playwright.use?.launchOptions?.args ?? [];
  await takeGuidePictures(await chromium.launch({ executablePath, args }));
  process.exit(0);
}
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const mock = await startAimock({ embeds: true });
const hubs = await startHubs();
const server = await startServer({ env: { ...hubs.env, OPENAI_API_KEY: "sk-not-a-real-one" } });
const browser = await chromium.launch({ executablePath, args: playwright.use?.launchOptions?.args ?? [] });
try {
  const signedOut = await browser.newContext();
  const context = await browser.newContext();
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  await shoot(context, server, "empty", await screensOf(server));
  if (states.includes("usual") || states.includes("crowded")) {
    await addUsual(server, `${mock.url}/v1`);
    await addScreenData(server);
  }
  await shoot(context, server, "usual", await screensOf(server));
  if (states.includes("crowded")) {
    await addCrowd(server, `${mock.url}/v1`);
    await shoot(context, server, "crowded", await screensOf(server));
  }
  if (states.includes("signed-out")) await addScreenData(server);
  await shoot(signedOut, server, "signed-out", OPEN_SCREENS);
} finally {
  await browser.close();
  await server.close();
  await hubs.close();
  await mock.stop();
}
console.log(`The pictures are in ${FOLDER}/.`);
if (wide.size > 0) {
  console.error(`Wider than their window:\n${[...wide].join("\n")}`);
  process.exitCode = 1;
}
