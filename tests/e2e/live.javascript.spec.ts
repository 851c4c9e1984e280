import type { BrowserContext, Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { batchEnded, upload } from "../support/uploads";

test.use({ role: "member", serverOf: "the live stream's tests" });

/** The addresses of streams that a context's pages have asked for. */
function countStreams(context: BrowserContext): string[] {
  const asked: string[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") asked.push(new URL(request.url()).search);
  });
  return asked;
}

const cardOf = (page: Page, name: string) => page.locator("main li[data-row]").filter({ hasText: name });

/** Hides or shows a page as changing tabs does. */
const turn = (page: Page, state: "hidden" | "visible") =>
  page.evaluate((visibilityState) => {
    Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

test("a hidden tab has no event stream, and shows what it missed once it is shown", async ({
  page,
  open,
  server,
}) => {
  const asked = countStreams(page.context());
  await open("/rag");
  await expect.poll(() => asked).toEqual(["?topics=conversations,documents,notifications"]);
  const closed = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/events"));
  await turn(page, "hidden");
  await closed;
  await batchEnded(server, (await upload(server, [["hidden.txt", "Nobody looks."]])).batchId);
  await expect(cardOf(page, "hidden.txt")).toHaveCount(0);
  await turn(page, "visible");
  await expect(cardOf(page, "hidden.txt")).toContainText("Ready");
  expect(asked).toHaveLength(2);
});

test("a document's progress and completion appear without a reload", async ({ page, open, server }) => {
  await open("/rag");
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const step = /(Splitting into chunks|Embedding|Indexing), [\d,]+ of [\d,]+ \w+/.exec(
        document.body.innerText,
      )?.[0];
      if (step && seen.at(-1) !== step) seen.push(step);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  // Long enough for several of the page's updates, which are half a second apart.
  const text = Array.from({ length: 100_000 }, (_, n) => `Berth ${n} is ${n % 97} metres long.`).join(" ");
  await upload(server, [["berths.txt", text]]);
  await expect(page.getByRole("progressbar", { name: "Progress of berths.txt" })).toBeVisible();
  await expect(cardOf(page, "berths.txt")).toContainText("Ready", { timeout: 60_000 });
  await expect(page.getByText(/Successfully processed "berths.txt" into \d+ chunks/)).toBeVisible();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen).not.toEqual([]);
});

test("a dialog's input stays while the page behind it updates", async ({ page, open, server }) => {
  await open("/rag?dialog=ingest&tab=text");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await dialog.getByLabel("Title").fill("Half a title");
  await dialog.getByLabel("Content").fill("Half a thought");
  await dialog.getByLabel("Category").selectOption("Vendors");
  await upload(server, [["meanwhile.txt", "It came while somebody typed."]]);
  await expect(cardOf(page, "meanwhile.txt").getByText("Ready")).toBeAttached();
  await expect(dialog.getByLabel("Title")).toHaveValue("Half a title");
  await expect(dialog.getByLabel("Content")).toHaveValue("Half a thought");
  await expect(dialog.getByLabel("Category")).toHaveValue("Vendors");
});

test("a rejected form keeps its errors and input", async ({ page, open, server }) => {
  await open("/rag?dialog=ingest&tab=url");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  const field = dialog.getByRole("textbox").first();
  await field.fill("ftp://example.org/x");
  await dialog.getByRole("button", { name: /Ingest/ }).click();
  await expect(field).toHaveAccessibleDescription(/Enter a complete address/);
  await upload(server, [["refused.txt", "It came while errors were shown."]]);
  await expect
    .poll(async () => {
      const found = await server.ask("/api/rag/documents?search=refused&status=ready", { as: "member" });
      return ((await found.json()) as unknown[]).length;
    })
    .toBe(1);
  await expect(field).toHaveAccessibleDescription(/Enter a complete address/);
  await expect(field).toHaveValue("ftp://example.org/x");
  // Once the dialog is closed the page shows what came in the meantime.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(cardOf(page, "refused.txt")).toContainText("Ready");
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("keeps unsaved settings when someone else saves, and can't overwrite theirs unseen", async ({
    page,
    open,
    server,
  }) => {
    await open("/rag?panel=settings");
    const form = page.getByRole("form", { name: "RAG & Embedding Settings" });
    await form.getByText("Chunks and reranking").click();
    const size = form.getByLabel("Chunk size");
    await size.fill("415");
    const saved = await server.ask("/api/user/settings", {
      method: "PUT",
      as: "owner",
      json: { chunkOverlap: 33 },
    });
    expect(saved.status, await saved.clone().text()).toBe(200);
    const loaded = page.waitForResponse((response) => response.url().includes("/rag.data"));
    await upload(server, [["settings.txt", "It has the page load again."]]);
    await (await loaded).finished();
    await expect(size).toHaveValue("415");
    await form.getByRole("button", { name: "Save Settings" }).click();
    await expect(form.getByText("Settings not saved")).toBeVisible();
    await expect(size).toHaveValue("415");
  });

  test("sees background jobs progress", async ({ page, open, server }) => {
    await open("/settings/system");
    const reloaded = page.waitForResponse((response) => response.url().includes("/settings/system.data"));
    await upload(server, [["job.txt", "A job reads it."]]);
    expect((await reloaded).status()).toBe(200);
  });
});

test.describe("an owner", () => {
  test.use({ role: "owner" });

  test("the bell counts a new event on an open page, and shows it in place until it is followed", async ({
    page,
    open,
    server,
  }) => {
    await open("/personas");
    const read = page.getByRole("link", { name: "Notifications", exact: true });
    const panel = page.getByRole("dialog", { name: "Notifications" });
    await read.click();
    await expect(panel.getByText("No notifications yet.")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(panel).toHaveCount(0);
    await expect(read).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(panel).toBeVisible();
    await page.keyboard.press("Escape");
    const workflow = await server.ask("/api/workflows", {
      as: "owner",
      json: {
        name: "Nightly report",
        steps: [{ type: "http_request", config: { method: "GET", url: "http://127.0.0.1:9" } }],
      },
    });
    const { id } = (await workflow.json()) as { id: string };
    await server.ask(`/api/workflows/run/${id}`, { as: "owner", json: {} });
    const unread = page.getByRole("link", { name: "Notifications, 1 unread" });
    await unread.click();
    const row = panel.getByRole("link", { name: /Nightly report/ });
    await expect(row.getByRole("img", { name: "Unread" })).toBeVisible();
    await expectAccessible(page);
    await unread.click();
    await expect(panel).toHaveCount(0);
    await unread.click();
    await row.click();
    await expect(page).toHaveURL(/\/workflows\/.*run_/);
    await expect(panel).toHaveCount(0);
    // It is read by being followed.
    await expect(read).toBeVisible();
  });
});
