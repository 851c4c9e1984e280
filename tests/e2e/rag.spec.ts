import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

// From an empty collection on, one after the other: the documents are the organisation's.
test.describe.configure({ mode: "serial", timeout: 90_000 });
test.use({ serverOf: "the documents' tests" });

const card = (page: Page, name: string) => page.locator("main li[data-row]").filter({ hasText: name });
const group = (page: Page, category: string) =>
  page
    .locator("details")
    .filter({ has: page.getByRole("heading", { level: 3, name: category, exact: true }) });
const ingestDialog = (page: Page) => page.getByRole("dialog", { name: "Ingest Document" });
const stat = (page: Page, label: string) =>
  page.getByRole("region", { name: "Collection Stats" }).getByRole("link", { name: label });

test.describe("a member", () => {
  test.use({ role: "member" });

  test("sees that a text is missing, keeps the input, and ingests it", async ({ page, open }) => {
    await open("/rag");
    await page.getByRole("link", { name: "Ingest Document" }).first().click();
    const dialog = ingestDialog(page);
    await dialog.getByLabel("Title").fill("Mooring rules");
    await dialog.getByLabel("Category").selectOption("Service");
    await dialog.getByRole("button", { name: "Ingest Text" }).click();
    await expect(dialog.getByLabel("Content")).toHaveAccessibleDescription(/Please enter text content/);
    await expect(dialog.getByLabel("Content")).toBeFocused();
    await expect(dialog.getByLabel("Title")).toHaveValue("Mooring rules");
    await expect(dialog.getByLabel("Category")).toHaveValue("Service");
    await expectAccessible(page);
    await dialog
      .getByLabel("Content")
      .fill("# Mooring\n\nA ship is moored with two ropes at the northern quay.");
    await dialog.getByRole("button", { name: "Ingest Text" }).click();
    await expect(
      page.getByText(/^Successfully processed "Mooring rules" into 1 chunks( with embeddings)?$/),
    ).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await expect(group(page, "Service")).toContainText("Mooring rules");
    await expect(card(page, "Mooring rules")).toContainText("Ready");
    await expect(stat(page, "Total")).toHaveText(/1$/);
    await expect(stat(page, "Ready")).toHaveText(/1$/);
    // The next one begins empty.
    await page.getByRole("link", { name: "Ingest Document" }).first().click();
    await expect(dialog.getByLabel("Title")).toHaveValue("");
  });

  test("filters by name and status in the URL", async ({ page, open, server }) => {
    const text = "Anchors weigh two tons.";
    await server.ask("/api/rag/ingest", { as: "member", json: { title: "Anchors", text } });
    await open("/rag");
    await page.getByRole("searchbox", { name: "Name" }).fill("anchor");
    await expect(page).toHaveURL(/find=anchor/);
    await expect(card(page, "Anchors")).toBeVisible();
    await expect(card(page, "Mooring rules")).toHaveCount(0);
    // Among some of the documents there is no order to change.
    await expect(page.getByRole("button", { name: "Move Anchors down" })).toHaveCount(0);
    await page.getByRole("searchbox", { name: "Name" }).fill("no such thing");
    await expect(page.getByRole("heading", { name: "No documents found" })).toBeVisible();
    await page.getByRole("link", { name: "Show All Documents" }).click();
    await expect(card(page, "Mooring rules")).toBeVisible();
    await stat(page, "Failed").click();
    await expect(page).toHaveURL(/status=failed/);
    await expect(card(page, "Mooring rules")).toHaveCount(0);
  });

  test("searches, and continues to the passage", async ({ page, open }) => {
    await open("/rag");
    await page.getByRole("main").getByRole("link", { name: "Search", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Search documents" });
    await dialog.getByRole("button", { name: "Search" }).click();
    await expect(dialog.getByLabel("Search query")).toHaveAccessibleDescription(
      "Please enter a search query",
    );
    await dialog.getByLabel("Search query").fill("rope for mooring a ship");
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("status")).toHaveText(/^Found \d results$/);
    const first = dialog.getByRole("article").first();
    await expect(first).toContainText("Mooring rules");
    await expect(first).toContainText("Keywords#1");
    await expect(first.locator("mark").filter({ hasText: /ropes/ })).toBeVisible();
    await dialog.getByRole("link", { name: "Open the passage in Mooring rules" }).click();
    await expect(page).toHaveURL(/\/rag\/doc_.*from=\d+&to=\d+&version=1#passage$/);
  });
});
