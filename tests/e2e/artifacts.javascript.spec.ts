import { createServer, type Server } from "node:net";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { hostilePage } from "../support/hostile-pages";
import { block, talk } from "../support/talk";

// The fixtures fail a test whose page asks another host for anything, logs an error or violates its policy.

test.use({ role: "member" });

const WIDE = { width: 1440, height: 900 };

const counter = (title: string, text: string) =>
  block(
    "html",
    `<!doctype html><title>${title}</title><button onclick="this.textContent=${text}">Add &amp; show</button>`,
  );

const runningIn = (page: Page) => page.frameLocator('iframe[src$="/sandbox/html"]');

test("runs a page beside its conversation, with its versions, code and download", async ({
  page,
  open,
  server,
}) => {
  await page.setViewportSize(WIDE);
  const id = await talk(
    server,
    counter("Fees &amp; dues", "1"),
    counter("Another page", "9"),
    `Better:\n\n${counter("Fees &amp; dues", "2")}`,
  );
  await open(`/chat/${id}`);
  const blocks = page.locator("[role=log] figure");
  await expect(blocks.nth(2)).toContainText("html · Fees & dues · version 2 of 2");
  await expect(blocks.nth(1)).not.toContainText("version");
  // Nothing runs until a person wants it.
  await expect(page.locator("iframe")).toHaveCount(0);

  const preview = blocks.nth(2).getByRole("button", { name: "Preview" });
  await preview.click();
  const panel = page.getByRole("complementary", { name: "Preview of Fees & dues" });
  await expect(panel).toBeFocused();
  await runningIn(page).getByRole("button").click();
  await expect(runningIn(page).getByRole("button")).toHaveText("2");
  // The conversation stands beside it.
  const right = (await page.getByRole("log").boundingBox()) ?? { x: 0, width: 0 };
  expect(right.x + right.width).toBeLessThanOrEqual((await panel.boundingBox())?.x ?? 0);
  await expectAccessible(page);

  await panel.getByRole("button", { name: "Previous version" }).click();
  await expect(panel.getByText("Version 1 of 2")).toBeVisible();
  await runningIn(page).getByRole("button").click();
  await expect(runningIn(page).getByRole("button")).toHaveText("1");
  const downloaded = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Download as HTML" }).click();
  expect((await downloaded).suggestedFilename()).toBe("fees-dues.html");
  await panel.getByRole("button", { name: "Stop and show the code" }).click();
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(panel.getByRole("region", { name: "Code in html" })).toContainText("textContent=1");

  // One runs at a time.
  await blocks.nth(1).getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("complementary", { name: /^Preview of/ })).toHaveAccessibleName(
    "Preview of Another page",
  );
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-beside]")).toHaveCount(0);
  await expect(blocks.nth(1).getByRole("button", { name: "Preview" })).toBeFocused();
});

test("runs a page in place on a narrow window", async ({ page, open, server }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await talk(server, counter("Fees", "1"));
  await open(`/chat/${id}`);
  await page.getByRole("button", { name: "Preview" }).click();
  await runningIn(page).getByRole("button").click();
  await expect(runningIn(page).getByRole("button")).toHaveText("1");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Stop and show the code" }).click();
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Code in html" })).toBeVisible();
});

test.describe("hostile", () => {
  // The frame's own refusals, as Chromium reports them.
  test.use({ expected: /./ });

  let listener: Server;
  let address: string;
  let connections = 0;
  test.beforeAll(async () => {
    listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => {
      listener.listen(0, "127.0.0.1", done);
    });
    const at = listener.address();
    address = `127.0.0.1:${typeof at === "object" ? at?.port : 0}`;
  });
  test.afterAll(() => void listener.close());

  test("a hostile page reaches neither the console, its cookies nor another host", async ({
    page,
    open,
    server,
    context,
  }) => {
    await page.setViewportSize(WIDE);
    const id = await talk(server, block("html", hostilePage(address)));
    await open(`/chat/${id}`);
    const opened: string[] = [];
    context.on("page", () => opened.push("a window"));
    page.on("dialog", () => opened.push("a dialog"));
    await page.getByRole("button", { name: "Preview" }).click();
    await expect(runningIn(page).getByRole("heading", { name: "Fees" })).toBeVisible();
    const frame = page.frames().find((one) => one.url().endsWith("/sandbox/html"));
    const outcomes = await frame?.evaluate(() => (globalThis as unknown as { done: unknown }).done);
    expect(outcomes).toEqual({
      cookie: "SecurityError",
      "set cookie": "SecurityError",
      storage: "SecurityError",
      database: "SecurityError",
      caches: "SecurityError",
      parent: "SecurityError",
      top: "SecurityError",
      "frame element": "null",
      fetch: "TypeError",
      "own host": "TypeError",
      request: "TypeError",
      beacon: "undefined",
      socket: "TypeError",
      events: "TypeError",
      worker: "TypeError",
      import: "TypeError",
      popup: "null",
      dialog: "undefined",
      form: "undefined",
      links: "undefined",
      "top address": "SecurityError",
      message: "undefined",
    });
    expect(connections).toBe(0);
    expect(opened).toEqual([]);
    expect(page.url()).toContain(`/chat/${id}`);
    expect((await context.cookies()).map(({ name }) => name)).not.toContain("hacked");
    // Nor does it leave by itself: the console frames nothing of another host.
    await frame?.evaluate((to) => location.assign(`http://${to}/left`), address);
    await expect(runningIn(page).getByRole("heading", { name: "Fees" })).toHaveCount(0);
    expect(connections).toBe(0);
  });

  test("a page that never ends, or never stops sending, is stopped", async ({ page, open, server }) => {
    await page.setViewportSize(WIDE);
    const id = await talk(
      server,
      block(
        "html",
        "<title>Loop</title><script>for (const end = Date.now() + 8000; Date.now() < end; );</script>",
      ),
      block("html", "<title>Flood</title><script>setInterval(() => top.postMessage('x', '*'))</script>"),
    );
    await open(`/chat/${id}`);
    const blocks = page.locator("[role=log] figure");
    await blocks.nth(1).getByRole("button", { name: "Preview" }).click();
    await expect(page.getByText("Stopped: the page sent too many messages.")).toBeVisible();
    await expect(page.locator("iframe")).toHaveCount(0);
    // Last, and not for ever: Chromium may give the next frame, of another test too, to the process that it holds.
    await blocks.nth(0).getByRole("button", { name: "Preview" }).click();
    await expect(page.locator("iframe")).toHaveCount(1);
    await page.getByRole("button", { name: "Close the preview" }).click();
    await expect(page.locator("iframe")).toHaveCount(0);
  });
});
