import { writeFileSync } from "node:fs";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import playwright from "../playwright.config";
import { AIMOCK_MODEL, startAimock } from "./aimock";
import { addUsual } from "./demo-data";
import { startHubs } from "./hubs";
import { startServer, type TestServer } from "./server";

// `npm run pictures` takes the landing page's pictures from the demo data and writes them to public/ as WebP.

/** In pixels; the landing page displays them at half or less. */
const SIZE = { width: 1600, height: 1000 };
const WIDTHS = [1600, 800];
const MAX_BYTES = 60_000;

const QUESTION = "Who answers a page on the weekend, and how fast?";
const ANSWER = `The person on call answers **within fifteen minutes**, on weekends too [1]. Customers hear of it by the status page [2].

| Severity | First step | Answer within |
|---|---|---:|
| high | Promote the replica, then stop writes | 15 min |
| medium | Pause the consumers of the queue | 45 min |
| low | Note it for the morning | 8 h |

Nobody is named for severity "low" on weekends: the manual leaves that open.`;

async function createConversation(server: TestServer): Promise<string> {
  const json = {
    messages: [{ role: "user", content: QUESTION }],
    model: AIMOCK_MODEL,
    tools: ["qdrant.search"],
  };
  const response = await server.ask("/api/ai/chat", { as: "owner", json });
  await response.text();
  return `/chat/${response.headers.get("x-conversation-id")}`;
}

/** The demo's budgets are nearly used up, which would refuse the answer. */
async function deleteBudgets(server: TestServer): Promise<void> {
  const budgets = (await (await server.ask("/api/budgets", { as: "owner" })).json()) as { id: string }[];
  for (const { id } of budgets) await server.ask(`/api/budgets/${id}`, { as: "owner", method: "DELETE" });
}

async function findRun(server: TestServer, workflowId: string): Promise<string> {
  const runs = await (await server.ask(`/api/runs?workflow=${workflowId}`, { as: "owner" })).json();
  return `/workflows/runs/${(runs as { id: string }[])[0]?.id}`;
}

/** Encodes a screenshot at the best quality that stays below `MAX_BYTES`. */
async function encode(browser: Browser, png: Buffer, width: number): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate(
    async ({ source, width, maxLength }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = Math.round((image.height / image.width) * width);
      const context = canvas.getContext("2d");
      if (!context) throw new Error("The browser has no canvas");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      for (let quality = 0.86; quality > 0.3; quality -= 0.04) {
        const encoded = canvas.toDataURL("image/webp", quality);
        if (encoded.length < maxLength) return encoded;
      }
      throw new Error("The picture doesn't fit");
    },
    { source: `data:image/png;base64,${png.toString("base64")}`, width, maxLength: (MAX_BYTES * 4) / 3 },
  );
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}

const executablePath = await findChromium();
if (!executablePath) process.exit(1);
const mock = await startAimock({ embeds: true });
const call = { name: "qdrant__search", arguments: { query: "on call answers a page within minutes" } };
mock
  .on({ userMessage: "on the weekend", hasToolResult: true }, { content: ANSWER })
  .on({ userMessage: "on the weekend" }, { toolCalls: [{ id: "call_weekend", ...call }] });
const hubs = await startHubs();
const server = await startServer({ env: hubs.env });
const browser = await chromium.launch({ executablePath, args: playwright.use?.launchOptions?.args ?? [] });
try {
  await addUsual(server, `${mock.url}/v1`);
  await deleteBudgets(server);
  const workflows = await (await server.ask("/api/workflows", { as: "owner" })).json();
  const digest = (workflows as { id: string; name: string }[]).find(({ name }) => name.includes("digest"));
  if (!digest) throw new Error("The demo data has no digest");
  const pictures = {
    chat: await createConversation(server),
    builder: `/workflows/builder?id=${digest.id}`,
    run: await findRun(server, digest.id),
  };
  const context = await browser.newContext({
    viewport: { width: SIZE.width * 0.75, height: SIZE.height * 0.75 },
    deviceScaleFactor: 4 / 3,
    reducedMotion: "reduce",
  });
  const [name = "", value = ""] = server.cookieOf("owner").split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  for (const [picture, address] of Object.entries(pictures)) {
    await open(page, server.baseUrl + address);
    for (const theme of ["dark", "light"]) {
      await page.evaluate((chosen) => {
        document.documentElement.dataset.theme = chosen;
      }, theme);
      const png = await page.screenshot();
      for (const width of WIDTHS)
        writeFileSync(`public/product-${picture}-${theme}-${width}.webp`, await encode(browser, png, width));
    }
  }
} finally {
  await browser.close();
  await server.close();
  await hubs.close();
  await mock.stop();
}
console.log("The pictures are in public/.");
