import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

// A category shows its first ten documents, which other files' documents could fill.
test.use({ role: "member", serverOf: "selected rows" });

async function ingest(server: TestServer, title: string): Promise<string> {
  const response = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { text: `About ${title}`, title },
  });
  return ((await response.json()) as { id: string }).id;
}

const select = async (page: Page, ...names: string[]) => {
  for (const name of names)
    await page.getByRole("checkbox", { name: `Select ${name}` }).check({ force: true });
};

test("several documents are moved, retried, deleted and restored at once", async ({ page, open, server }, {
  project,
}) => {
  const names = ["Harbor", "Lantern"].map((name) => `${name} ${project.name}`);
  for (const name of names) await ingest(server, name);
  const bar = page.getByRole("form", { name: "Selected documents" });
  await open("/rag");
  await select(page, ...names);
  await bar.getByRole("combobox").selectOption("Finance");
  await bar.getByRole("button", { name: "Move" }).click();
  await expect(page.getByText("2 documents moved to Finance")).toBeVisible();
  // Shown for failed documents; a list without live updates still shows it for one that was retried meanwhile.
  await select(page, ...names);
  await bar.locator("button[value=retry-selected]").dispatchEvent("click");
  await expect(page.getByText("These documents can't be retried")).toBeVisible();
  await select(page, ...names);
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("2 documents deleted")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("2 documents restored")).toBeVisible();
});

test("deleted documents are listed and restored as long as they are kept", async ({ page, open, server }, {
  project,
}) => {
  const names = [1, 2].map((n) => `Berth ${project.name} ${n}`);
  const ids = [];
  for (const name of names) ids.push(await ingest(server, name));
  await server.ask("/api/rag/documents/bulk", { as: "member", json: { action: "delete", ids } });
  const own = page.locator("li[data-row]").filter({ hasText: `Berth ${project.name}` });
  await open("/rag");
  await page.getByRole("link", { name: "Recently Deleted" }).click();
  await expect(own).toHaveCount(2);
  await expect(own.first()).toHaveText(/Deleted .+ · \d+ minutes? left$/);
  await page.getByRole("button", { name: `Restore ${names[0]}` }).click();
  await expect(page.getByText("1 document restored")).toBeVisible();
  await expect(own).toHaveCount(1);
  await select(page, ...names.slice(1));
  const bar = page.getByRole("form", { name: "Selected documents" });
  await bar.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByText("No recently deleted documents")).toBeVisible();
  await page.getByRole("link", { name: "Show All Documents" }).click();
  await expect(own).toHaveCount(2);
});
