import { expect, test } from "../support/fixtures";

test.use({ role: "admin" });

test("the audit log is filtered, opened and exported", async ({ page, open, server }) => {
  for (const name of ["Harbor", "Lighthouse"])
    expect((await server.ask("/api/rag/categories", { as: "admin", json: { name } })).status).toBe(201);
  await open("/audit");
  const entries = page.getByRole("list", { name: "Audit entries" }).locator(":scope > li");
  await expect(entries.first()).toContainText("Lighthouse");
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
});
