import { expect, test } from "../support/fixtures";

test.use({ role: "admin", serverOf: "the audit log's tests" });

test("the audit log is filtered, opened, paged and exported", async ({ page, open, server }) => {
  const add = (name: string) =>
    server.ask("/api/rag/categories", { as: "admin", method: "POST", json: { name } });
  for (let n = 1; n <= 105; n++)
    expect((await add(n === 50 ? "Lighthouse" : `Category ${n}`)).status).toBe(201);
  await open("/audit");
  const entries = page.getByRole("list", { name: "Audit entries" }).locator(":scope > li");
  await expect(entries).toHaveCount(100);
  await page.getByRole("link", { name: "Load More Logs" }).click();
  await expect(entries).toHaveCount(105);
  await expect(entries.first()).toContainText("Category 105");

  await page.getByPlaceholder("Search audit logs...").fill("lighthouse category");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(entries).toHaveCount(1);
  await entries.first().getByRole("link").click();
  const drawer = page.getByRole("dialog", { name: /Lighthouse/ });
  await expect(drawer).toContainText("category.created");
  await expect(drawer).toContainText(/127\.0\.0\.1|::1/);
  await drawer.getByRole("link", { name: "Close" }).click();
  await expect(drawer).toBeHidden();

  const download = page.waitForEvent("download");
  await page.locator("summary").filter({ hasText: "Export" }).click();
  await page.getByRole("link", { name: "NDJSON" }).click();
  expect((await download).suggestedFilename()).toBe("audit-log.ndjson");

  await open("/audit?action=provider");
  await expect(page.getByText("Try adjusting your search or filters")).toBeVisible();
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("The audit trail is intact")).toBeVisible();
});
