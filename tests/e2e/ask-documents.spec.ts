import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { makeDocx, makePdf, makeXlsx, wordParagraph } from "../support/document-files";
import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

// A server whose documents are this file's own.
test.use({ role: "member", serverOf: "ask-documents" });

const HANDBOOK = `# Handbook

## Holidays

Everyone has 28 days of holidays a year. Holidays are asked for two weeks ahead.

## Travel

Travel costs are paid back within ten days. Keep the receipts of hotels and trains.
`;

/** Takes the text on, or recognises it, and waits until it is searched. */
async function addHandbook(server: TestServer): Promise<string> {
  const made = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { text: HANDBOOK, title: "Handbook" },
  });
  expect(made.ok, await made.clone().text()).toBe(true);
  const { id } = (await made.json()) as { id: string };
  await expect
    .poll(
      async () => {
        const response = await server.ask(`/api/rag/documents/${id}`, { as: "member" });
        return ((await response.json()) as { status: string }).status;
      },
      { timeout: 20_000 },
    )
    .toBe("ready");
  return id;
}

/** A folder of mixed files, one of them damaged, as someone would drop it in. */
function writeFolder(folder: string, mark: string): void {
  const pdf = makePdf([
    [{ text: `The anchorage fee of ${mark} is 34 crowns a night.`, x: 72, y: 700, size: 12 }],
  ]);
  const files: Record<string, string | Uint8Array> = {
    "fees.pdf": pdf,
    "crew.docx": makeDocx(wordParagraph(`The crew of ${mark} changes watch at six.`)),
    "stores.xlsx": makeXlsx({
      Stores: [
        ["Item", "Count"],
        [`Ropes of ${mark}`, 12],
      ],
    }),
    "rules.md": `# Rules of ${mark}\n\nNo open fire on deck.`,
    "berths.html": `<title>Berths of ${mark}</title><main><h1>Berths</h1><p>Berth nine is for guests of ${mark}.</p></main>`,
    "tides.csv": `Port,Height\n${mark},4.2\nNorth,3.9\n`,
    "damaged.pdf": `%PDF-1.7\n% of ${mark}, broken off`,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

const answer = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();

test("a folder of mixed files is uploaded, followed, asked about and cited", async ({ page, open }, info) => {
  const mark = "Westport";
  const folder = info.outputPath(mark);
  writeFolder(folder, mark);
  await open("/rag?dialog=ingest&tab=file");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await dialog.getByLabel("A folder").setInputFiles(folder);
  await dialog.getByRole("button", { name: /^Ingest (7 )?Files$/ }).click();
  const state = page.getByRole("region", { name: "Added Together" }).getByRole("status");
  await expect(state).toHaveText("6 of 7 documents ready, 1 failed", { timeout: 30_000 });
  const damaged = page.getByRole("listitem").filter({ hasText: "damaged.pdf" });
  await expect(damaged.first()).toContainText(/failed|damaged/i);
  await open("/chat");
  await page
    .getByRole("textbox", { name: "Message" })
    .fill(`How many crowns a night is the anchorage fee of ${mark}?`);
  await page.getByRole("button", { name: "Send" }).click();
  const citation = answer(page)
    .getByRole("link", { name: /^Source \d+: .*fees/ })
    .first();
  await expect(answer(page).getByRole("region", { name: "Sources" }).getByRole("link").first()).toBeVisible();
  await expectAccessible(page);
  await citation.hover();
  await expect(page.getByRole("tooltip")).toContainText(`The anchorage fee of ${mark} is 34 crowns a night.`);
  if (IS_FULL) await expectAccessible(page);
  await citation.click();
  const source = page.getByRole("complementary", { name: /^Source \d+: fees/ });
  await expect(source).toBeFocused();
  await expect(source.locator("mark").filter({ hasText: `fee of ${mark} is 34 crowns` })).toBeInViewport();
  await source.getByRole("button", { name: "Page 1" }).click();
  await expect(source.getByRole("img", { name: "Page 1 of fees.pdf" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(source).toBeHidden();
  await expect(citation).toBeFocused();
  // In a narrow window it lies over the conversation, and closes when the focus leaves it.
  const wide = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 800, height: 700 });
  await citation.press("Enter");
  await expect(source).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(source).toBeHidden();
  await expect(citation).toBeFocused();
  await page.setViewportSize(wide);
  await citation.press("Enter");
  await source.getByRole("link", { name: "Open the document" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("fees.pdf");
  await expect(page.locator("mark#passage")).toBeInViewport();
  await expect(page.locator("mark").filter({ hasText: `fee of ${mark} is 34 crowns` })).toBeVisible();
  await page.getByRole("link", { name: "Back to the answer" }).click();
  await expect(page).toHaveURL(/\/chat\//);
});

test.describe("the retrieval check", () => {
  test("saves a question with its passage, and runs", async ({ page, open, server }) => {
    await addHandbook(server);
    const question = "When are travel costs paid back?";
    await open("/rag/check?dialog=add");
    await page.getByRole("textbox", { name: "Question" }).fill(question);
    await page.getByRole("dialog").getByRole("button", { name: "Search" }).click();
    await page
      .getByRole("checkbox", { name: /Handbook/ })
      .first()
      .check();
    const quote = page.getByLabel("Answering text").first();
    await quote.fill("Travel costs are paid back within ten days.");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add Question" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: question })).toContainText("1 passage");
    await page.getByRole("button", { name: "Run Check" }).click();
    await expect(page.getByRole("table", { name: "Results by setting" })).toBeVisible({
      timeout: 20_000,
    });
    const figures = page.getByRole("table", { name: "Results by setting" });
    await expect(figures.getByRole("row").filter({ hasText: "Hybrid" })).toContainText("1.000");
    const ranks = page.getByRole("table", { name: "Rank of each question's first expected passage" });
    await expect(ranks.getByRole("row").filter({ hasText: question })).toContainText("1");
    await ranks.getByRole("link", { name: "Question" }).click();
    await expect(page).toHaveURL(/sort=question&order=asc/);
    await expect(ranks.getByRole("columnheader", { name: "Question" })).toHaveAttribute(
      "aria-sort",
      "ascending",
    );
    await expectAccessible(page);
  });
});
