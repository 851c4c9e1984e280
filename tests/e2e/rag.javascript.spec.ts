import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { hold } from "../support/hold";

test.describe.configure({ mode: "serial", timeout: 90_000 });
test.use({ role: "member", serverOf: "the documents' tests with script" });

const NAMES = ["Alpha", "Bravo", "Charlie"];
const names = (page: Page) => page.locator("main li[data-row] a[title]").allTextContents();
const handle = (page: Page, name: string) => page.getByRole("button", { name: `Drag ${name}` });
const saved = (page: Page) => page.waitForResponse("**/api/rag/reorder");

test("a document dragged by keyboard keeps its position", async ({ page, open, server }) => {
  for (const title of NAMES) {
    const made = await server.ask("/api/rag/ingest", {
      as: "member",
      json: { title, text: `${title} is one of the ships.`, category: "Vendors" },
    });
    expect(made.status, await made.clone().text()).toBe(201);
  }
  await open("/rag");
  // The drag handle's code loads on focus, which stays.
  const down = page.getByRole("button", { name: "Move Bravo down" });
  await down.focus();
  await expect(handle(page, "Alpha")).toBeVisible();
  await expect(down).toBeFocused();
  await handle(page, "Alpha").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  const answer = saved(page);
  await page.keyboard.press("Space");
  expect((await answer).status()).toBe(200);
  await expect.poll(() => names(page)).toEqual(["Bravo", "Alpha", "Charlie"]);
});

test("a document is dragged by mouse, and a rejected order is reverted and shows the reason", async ({
  page,
  open,
}) => {
  await open("/rag");
  // As it was stored.
  expect(await names(page)).toEqual(["Bravo", "Alpha", "Charlie"]);
  await page.locator("main li[data-row]").first().hover();
  await expect(handle(page, "Charlie")).toBeVisible();
  const from = await handle(page, "Charlie").boundingBox();
  const to = await handle(page, "Bravo").boundingBox();
  if (!from || !to) throw new Error("The handles aren't there.");
  await page.mouse.move(from.x + 5, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, from.y - 20, { steps: 5 });
  await page.mouse.move(to.x + 5, to.y - 5, { steps: 10 });
  const answer = saved(page);
  await page.mouse.up();
  expect((await answer).status()).toBe(200);
  await expect.poll(() => names(page)).toEqual(["Charlie", "Bravo", "Alpha"]);

  await page.route("**/api/rag/reorder", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ detail: "The console is restarting." }),
    }),
  );
  const down = page.getByRole("button", { name: "Move Charlie down" });
  await down.click();
  await expect(page.getByText("Couldn't save the order")).toBeVisible();
  await expect(page.getByText("The console is restarting.")).toBeVisible();
  await expect.poll(() => names(page)).toEqual(["Charlie", "Bravo", "Alpha"]);
  await page.unroute("**/api/rag/reorder");
  // The pressed button keeps the focus on its way, and where it ends at the edge the other one has it.
  await down.click();
  await expect.poll(() => names(page)).toEqual(["Bravo", "Charlie", "Alpha"]);
  await expect(down).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["Bravo", "Alpha", "Charlie"]);
  await expect(page.getByRole("button", { name: "Move Charlie up" })).toBeFocused();
});

test("a file is uploaded to its end with the keyboard alone, the focus always visible", async ({
  page,
  open,
}) => {
  await open("/rag");
  const { keyboard } = page;
  const isShown = () =>
    page.evaluate(() => {
      const { width = 0, height = 0 } = document.activeElement?.getBoundingClientRect() ?? {};
      return width > 4 && height > 4;
    });
  const tabTo = async (target: Locator) => {
    const isFocused = () => target.evaluate((element) => element === document.activeElement);
    for (let stops = 0; !(await isFocused()); stops++) {
      expect(stops, `stops before ${target}`).toBeLessThan(100);
      await keyboard.press("Tab");
      expect(await isShown()).toBe(true);
    }
  };
  const opener = page.getByRole("link", { name: "Ingest Document" }).first();
  await tabTo(opener);
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await expect(dialog.locator(":focus")).toHaveCount(1);
  const files = dialog.getByRole("tab", { name: "File" }).or(dialog.getByRole("link", { name: "File" }));
  await tabTo(files.first());
  await keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=file/);
  const choose = dialog.getByRole("button", { name: "Choose Files" });
  await expect(choose).toBeVisible();
  // Before the keys: a key pressed at once may arrive before the browser knows that somebody waits.
  const chooser = page.waitForEvent("filechooser");
  await tabTo(choose);
  await keyboard.press("Enter");
  const buffer = Buffer.from("The keyboard's own document about halyards.");
  await (await chooser).setFiles({ name: "keyboard.txt", mimeType: "text/plain", buffer });
  const ingest = dialog.getByRole("button", { name: "Ingest File" });
  await expect(ingest).toBeVisible();
  await tabTo(ingest);
  await keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  const result = page.locator("main li[data-row]").getByRole("link", { name: "keyboard.txt", exact: true });
  await expect(result).toBeVisible();
  await tabTo(result);
  await keyboard.press("Enter");
  await expect(page.getByText("document about halyards").first()).toBeVisible();
});

test("files dropped anywhere open the upload, and their progress is live", async ({ page, open }) => {
  await open("/rag");
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["Delta is a river."], "delta.txt", { type: "text/plain" }));
    transfer.items.add(new File(["Echo comes back."], "echo.md", { type: "" }));
    transfer.items.add(new File(["no text"], "photo.png", { type: "image/png" }));
    return transfer;
  });
  await page.dispatchEvent("main", "dragenter", { dataTransfer: dropped });
  await expect(page.getByText("Drop files or folders to ingest them")).toBeVisible();
  await page.dispatchEvent("main", "drop", { dataTransfer: dropped });
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await expect(dialog).toContainText("3 files");
  await expect(dialog).toContainText("1 file skipped");
  await expect(dialog).toContainText("File type not supported");
  await dialog.getByRole("button", { name: "Remove photo.png" }).click();
  await expect(dialog).not.toContainText("photo.png");
  await dialog.getByRole("button", { name: "Ingest 2 Files" }).click();
  const panel = page.getByRole("region", { name: "Added Together" });
  await expect(panel.getByRole("status")).toHaveText("2 of 2 documents ready");
  await expect(page.locator("main li[data-row]").filter({ hasText: "delta.txt" })).toContainText("Ready");
});

test("a job that ends while its page is loading is shown as finished", async ({ page, open, server }) => {
  await open("/rag?dialog=ingest&tab=file");
  /** Both files, once the console has processed them. */
  const ended = async () => {
    const found = await server.ask("/api/rag/documents?search=hole-&status=ready", { as: "member" });
    return ((await found.json()) as unknown[]).length;
  };
  await page.route(
    (url) => url.pathname === "/rag.data" && url.searchParams.has("batch"),
    async (route) => {
      const answer = await route.fetch();
      await expect.poll(ended, { timeout: 60_000 }).toBe(2);
      await route.fulfill({ response: answer });
    },
    { times: 1 },
  );
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  // So long that they are still worked on when the page is asked for.
  const text = Array.from({ length: 4000 }, (_, n) => `Hole ${n} is ${n % 97} strokes away.`).join(" ");
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`${name}: ${text}`) });
  await dialog
    .getByLabel("Files", { exact: true })
    .setInputFiles([file("hole-one.txt"), file("hole-two.txt")]);
  const panel = page.getByRole("region", { name: "Added Together" });
  await dialog.getByRole("button", { name: "Ingest 2 Files" }).click();
  await expect(panel.getByRole("status")).toHaveText("2 of 2 documents ready", { timeout: 60_000 });
});

test("files that can't be sent are listed first and reported after the upload, and leaving during it asks", async ({
  page,
  open,
}) => {
  // At once, while the list is still being hydrated.
  await open("/rag?dialog=ingest&tab=file");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  const file = (name: string, content: string, mimeType = "text/plain") => ({
    name,
    mimeType,
    buffer: Buffer.from(content),
  });
  await dialog
    .getByLabel("Files", { exact: true })
    .setInputFiles([
      file("foxtrot.txt", "Foxtrot is a dance."),
      file("nothing.txt", ""),
      file("film.mp4", "x", "video/mp4"),
    ]);
  const rows = dialog.getByRole("region", { name: "Chosen files" }).getByRole("listitem");
  await expect(rows).toContainText(["nothing.txt", "film.mp4", "foxtrot.txt"]);
  // Until the page behind it comes, the dialog shows what was sent.
  let shown: string | null = null;
  const ofBatch = (url: URL) => url.pathname.startsWith("/rag") && url.searchParams.has("batch");
  await page.route(ofBatch, async (route) => {
    shown ??= await dialog.textContent();
    await route.continue();
  });
  const upload = await hold(page, "**/api/rag/upload");
  await dialog.getByRole("button", { name: "Ingest Files" }).click();
  await expect(dialog.getByText("Uploading")).toBeVisible();
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  upload.release();
  await expect(dialog).toHaveCount(0);
  expect(shown).toContain("foxtrot.txt");
  await expect(page.getByText("2 files skipped")).toBeVisible();
  await expect(
    page.getByText("nothing.txt (empty), film.mp4 (file type not supported: add a transcript as text)"),
  ).toBeVisible();
  await page.unroute(ofBatch);
});

test("a rejected new version shows the error at its field and keeps the file", async ({
  page,
  open,
  server,
}) => {
  const found = await server.ask("/api/rag/documents?search=delta.txt", { as: "member" });
  const [{ id }] = (await found.json()) as [{ id: string }];
  await open(`/rag/${id}?dialog=version`);
  const dialog = page.getByRole("dialog", { name: "New Version" });
  const field = dialog.getByLabel("File");
  const choose = (content: string) =>
    field.setInputFiles({ name: "delta-2.txt", mimeType: "text/plain", buffer: Buffer.from(content) });
  await choose("");
  await dialog.getByRole("button", { name: "Upload" }).click();
  await expect(field).toHaveAccessibleDescription(/The file is empty/);
  await expect(field).toBeFocused();
  expect(await field.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe("delta-2.txt");
  await choose("Delta is a river, and an airline.");
  await dialog.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText('The new version of "delta.txt" is being processed')).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test("input is kept when switching tabs and back", async ({ page, open }) => {
  // Slow enough that the tab is pressed while the list behind is still being hydrated.
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await open("/rag?dialog=ingest&tab=text");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await dialog.getByLabel("Content").fill("Half a thought");
  await dialog.getByRole("link", { name: "URL" }).click();
  // The tab of texts has a title too.
  await expect(dialog.getByRole("link", { name: "URL" })).toHaveAttribute("aria-current", "page");
  await client.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await dialog.getByLabel("Title").fill("Another");
  await dialog.getByRole("link", { name: "Text" }).click();
  await expect(dialog.getByLabel("Content")).toHaveValue("Half a thought");
  await dialog.getByRole("link", { name: "URL" }).click();
  await expect(dialog.getByLabel("Title")).toHaveValue("Another");
});

test("a long text returned with the full page is kept after hydration", async ({ page, open }) => {
  const text = "A line of the log. & <b>\n".repeat(200);
  await open("/rag?dialog=ingest&tab=text");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  const field = dialog.getByLabel("Content");
  await field.fill(text);
  // As a form is sent before the script is there, with a title that no browser would let pass.
  await field.evaluate(({ form }: HTMLTextAreaElement) => {
    form?.insertAdjacentHTML("beforeend", '<input type="hidden" name="intent" value="ingest-text">');
    form?.querySelector<HTMLInputElement>("[name=title]")?.setAttribute("value", "t".repeat(201));
    document.documentElement.dataset.old = "";
    form?.submit();
  });
  await page.locator("html[data-scripted]:not([data-old])").waitFor({ state: "attached" });
  await expect(dialog.getByLabel("Title")).toHaveAccessibleDescription(/Use at most 200 characters/);
  await expect(field).toHaveValue(text);
});

test("a hidden or deleted document disappears from another person's open page", async ({
  page,
  browser,
  open,
  server,
}) => {
  const add = async (title: string) => {
    const response = await server.ask("/api/rag/ingest", {
      as: "member",
      json: { title, text: `${title} is of the harbour office.`, category: "Inventory" },
    });
    return ((await response.json()) as { id: string }).id;
  };
  const [hidden, deleted, own] = [await add("Tariffs"), await add("Timetable"), await add("Tide table")];
  const [name = "", value = ""] = server.cookieOf("viewer").split("=");
  const context = await browser.newContext({ baseURL: server.baseUrl });
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const list = await context.newPage();
  await list.goto("/rag");
  const cards = list.locator("main li[data-row]");
  await expect(cards.filter({ hasText: "Tariffs" })).toBeVisible();
  // Changes by someone else are shown.
  const renamed = { method: "PATCH", as: "member", json: { name: "Timetable of ferries" } } as const;
  expect((await server.ask(`/api/rag/documents/${deleted}`, renamed)).status).toBe(200);
  await expect(cards.filter({ hasText: "Timetable of ferries" })).toBeVisible();
  const patch = { method: "PATCH", as: "member", json: { visibility: "named", readers: [] } } as const;
  expect((await server.ask(`/api/rag/documents/${hidden}`, patch)).status).toBe(200);
  await expect(cards.filter({ hasText: "Tariffs" })).toHaveCount(0);
  await expect(cards.filter({ hasText: "Timetable" })).toBeVisible();
  await server.ask(`/api/rag/documents/${deleted}`, { method: "DELETE", as: "member" });
  await expect(cards.filter({ hasText: "Timetable" })).toHaveCount(0);
  // The document's own page says that it is gone.
  await list.goto(`/rag/${own}`);
  await expect(list.getByRole("heading", { level: 1 })).toHaveText("Tide table");
  expect((await server.ask(`/api/rag/documents/${own}`, patch)).status).toBe(200);
  await expect(list.getByRole("heading", { name: "Document not found" })).toBeVisible();
  await context.close();
  // To its owner nothing is hidden.
  await open(`/rag/${own}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Tide table");
});

test("a category is selected by keyboard on the document, which moves on Enter", async ({ page, open }) => {
  await open("/rag");
  const choice = page.getByRole("combobox", { name: "Category of Alpha" });
  const group = (name: string) =>
    page.locator("details").filter({ has: page.getByRole("heading", { level: 3, name, exact: true }) });
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request.url());
  });
  await choice.focus();
  await expect(page.getByRole("button", { name: "Drag Alpha" })).toBeVisible();
  await expect(choice).toBeFocused();
  const options = await choice.locator("option").allTextContents();
  const next = options[options.indexOf("Vendors") - 1] ?? "";
  await page.keyboard.press("ArrowUp");
  await expect(choice).toHaveValue(next);
  await page.keyboard.press("Escape");
  await expect(choice).toHaveValue("Vendors");
  await page.keyboard.press("ArrowUp");
  await expect(choice).toHaveValue(next);
  expect(posts).toEqual([]);
  await expect(group("Vendors")).toContainText("Alpha");
  await page.keyboard.press("Enter");
  await expect(group(next)).toContainText("Alpha");
  await expect(choice).toBeFocused();
  // Leaving it is a choice, too.
  await page.keyboard.press("ArrowDown");
  await expect(choice).toHaveValue("Vendors");
  await page.keyboard.press("Tab");
  await expect(group("Vendors")).toContainText("Alpha");
  await expect(page.locator("main li[data-row]").filter({ hasText: "Alpha" }).locator(":focus")).toHaveCount(
    1,
  );
});

test("a dialog opened from the menu returns focus to the menu's button", async ({ page, open, server }) => {
  const made = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { title: "Pilotage", text: "A pilot boards at the buoy." },
  });
  await open(`/rag/${((await made.json()) as { id: string }).id}`);
  const menu = page
    .locator("summary")
    .filter({ has: page.locator("svg") })
    .and(page.getByLabel("More actions"));
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Rename" }).click();
  await expect(page.getByRole("dialog", { name: "Rename" }).getByLabel("Name")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(menu).toBeFocused();
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("keeps the focus after saving the settings", async ({ page, open }) => {
    await open("/rag?panel=settings");
    const form = page.getByRole("form", { name: "RAG & Embedding Settings" });
    await form.getByText("Chunks and reranking").click();
    const size = form.getByLabel("Chunk size");
    await size.fill("410");
    await size.press("Enter");
    await expect(page.getByText("RAG & Embedding settings updated.")).toBeVisible();
    await expect(form.locator(":focus")).toHaveCount(1);
    await form.getByRole("button", { name: "Save Settings" }).press("Enter");
    await expect(form.getByRole("button", { name: "Save Settings" })).toBeFocused();
  });
});

// Last: its documents are read while the others run.
test("an interrupted upload keeps its remaining files, which join the same batch", async ({ page, open }) => {
  await open("/rag?dialog=ingest&tab=file");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await dialog.getByLabel("Category").selectOption("Service");
  await dialog.getByText("Specific people").click();
  const named = (n: number) => ({
    name: `part-${n}.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from(`The part with the number ${n}.`),
  });
  await dialog
    .getByLabel("Files", { exact: true })
    .setInputFiles(Array.from({ length: 102 }, (_, n) => named(n)));
  let requests = 0;
  await page.route("**/api/rag/upload", (route) => {
    requests += 1;
    if (requests !== 2) return route.continue();
    const body = JSON.stringify({ detail: "The console is restarting." });
    return route.fulfill({ status: 503, contentType: "application/problem+json", body });
  });
  await dialog.getByRole("button", { name: "Ingest 102 Files" }).click();
  const notice = dialog.getByRole("alert").filter({ hasText: "The console is restarting." });
  await expect(notice).toBeVisible();
  const rows = dialog.getByRole("region", { name: "Chosen files" }).getByRole("listitem");
  await expect(rows).toContainText(["part-100.txt", "part-101.txt"]);
  await expect(dialog.getByLabel("Category")).toHaveValue("Service");
  await expect(dialog.getByLabel("Specific people")).toBeChecked();
  await dialog.getByRole("button", { name: "Ingest 2 Files" }).click();
  await expect(page.getByRole("region", { name: "Added Together" })).toContainText("of 102 documents");
  await expect(dialog).toHaveCount(0);
});
