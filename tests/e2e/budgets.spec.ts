import { expect, expectAccessible, expectToFit, test } from "../support/fixtures";

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("adds a budget, grants an exception and deletes it", async ({ page, open }) => {
    await open("/usage/budgets");
    await page.getByRole("link", { name: "Add Budget" }).first().click();
    const form = page.getByRole("dialog", { name: "Add Budget" });
    await form.getByLabel("Target", { exact: false }).selectOption("person:usr_viewer");
    await form.getByLabel("Limit", { exact: false }).fill("0");
    await form.getByLabel("Unit").selectOption("tokens");
    await form.getByRole("button", { name: "Add Budget" }).click();
    const rows = page.getByRole("list", { name: "Budgets" }).getByRole("listitem");
    const row = rows.filter({ hasText: "Viewer" });
    await expect(row).toContainText("Blocked");
    await expect(row).toContainText("Monthly · 0 of 0 tokens spent");
    await expectAccessible(page);
    await expectToFit(page);

    await row.hover();
    await row.getByRole("link", { name: "Grant an exception to Viewer" }).click();
    const exception = page.getByRole("dialog", { name: "Grant an Exception" });
    await exception.getByLabel("Amount in tokens").fill("500");
    await exception.getByLabel("Reason").fill("Launch");
    await exception.getByRole("button", { name: "Grant Exception" }).click();
    await expect(row).toContainText("0 of 500 tokens spent · includes an exception of 500 tokens");

    await row.getByLabel("More actions for Viewer").click();
    await page.getByRole("link", { name: "Delete Viewer" }).click();
    await page.getByRole("button", { name: "Delete Budget" }).click();
    await expect(page.getByText("No budgets yet")).toBeVisible();
  });
});
