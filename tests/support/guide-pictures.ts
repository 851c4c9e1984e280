import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { startAimock } from "./aimock";
import { startServer } from "./server";

/** Where docs/getting-started.md finds them. */
const FOLDER = "docs/pictures";
const SIZE = { width: 1080, height: 680 };
const QUALITY = 0.6;

/** WebP by the browser's own encoder: a few kilobytes, without a package for it. */
async function encode(page: Page, png: Buffer): Promise<Buffer> {
  const encoded = await page.evaluate(
    async ({ source, quality }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality);
    },
    { source: `data:image/png;base64,${png.toString("base64")}`, quality: QUALITY },
  );
  return Buffer.from(encoded.slice(encoded.indexOf(",") + 1), "base64");
}

/** Takes the steps of docs/getting-started.md on an empty console, one picture after each. */
export async function takeGuidePictures(browser: Browser): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const mock = await startAimock();
  const env = { OPENAI_API_KEY: "not-a-real-one", ENV_FILE: "/nowhere/.env", ENV_FILE_VARIABLES: "" };
  const server = await startServer({ people: false, env });
  const encoder = await browser.newPage();
  const context = await browser.newContext({
    baseURL: server.baseUrl,
    viewport: SIZE,
    reducedMotion: "reduce",
    colorScheme: "dark",
  });
  const page = await context.newPage();
  const open = async (path: string) => {
    await page.goto(path);
    await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
  };
  const take = async (name: string) =>
    writeFileSync(join(FOLDER, `${name}.webp`), await encode(encoder, await page.screenshot()));
  try {
    const link = new URL(/one-time link: (\S+)/.exec(server.output)?.[1] ?? "");
    await open(link.pathname + link.search);
    await page.getByLabel("First name").fill("Grace");
    await page.getByLabel("Last name").fill("Hopper");
    await page.getByLabel("Email").fill("grace@example.org");
    await page.getByLabel(/^Password/).fill("nanoseconds in a wire");
    await page.getByRole("button", { name: "Create Account" }).click();
    await page.getByRole("button", { name: "Add Sample Team" }).waitFor();
    await take("start");

    await page.getByRole("link", { name: /Connect a model provider/ }).click();
    await page.getByText("Key found", { exact: true }).waitFor();
    await take("provider");
    await page.getByRole("radio", { name: "Custom" }).check();
    await page.getByLabel("Display name").fill("Lab");
    await page.getByLabel("Base URL").fill(`${mock.url}/v1`);
    await page.getByRole("button", { name: "Add Provider" }).click();
    await page.getByText("Provider added").waitFor();

    await open("/chat");
    await page.getByPlaceholder("Ask AI anything...").fill("Show me a table and some code");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("answer = 42").last().waitFor();
    await page.getByRole("button", { name: "Regenerate" }).last().waitFor();
    await take("chat");

    await open("/");
    await page.getByRole("button", { name: "Add Sample Team" }).click();
    await page.getByRole("link", { name: "Read a document" }).waitFor();
    await open("/rag?dialog=search&q=How+long+does+a+refund+take");
    await page
      .getByText(/five working days/)
      .first()
      .waitFor();
    await take("documents");

    await open("/workflows/runs");
    await page.getByRole("list", { name: "Runs" }).getByText("Waiting").waitFor();
    await page.getByRole("link", { name: "Answer a rider's question" }).first().click();
    await page.getByText("Find passages").first().waitFor();
    await take("workflow");

    await open("/settings/members?dialog=invite");
    await page.getByRole("dialog").waitFor();
    await take("members");
  } finally {
    await browser.close();
    await server.close();
    await mock.stop();
  }
}
