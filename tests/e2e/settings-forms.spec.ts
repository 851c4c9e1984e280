import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "admin", serverOf: "settings-forms" });

test("the branding is changed, refused, and taken back to its defaults", async ({
  page,
  open,
  javaScriptEnabled,
}) => {
  await open("/settings?tab=branding");
  const save = page.getByRole("button", { name: "Save Changes" });
  await page.getByLabel("App name").fill("");
  await save.click();
  await expect(page.getByText("Failed to save branding settings")).toBeVisible();
  await expect(page.getByText("Enter a text")).toBeVisible();
  await page.getByLabel("App name").fill("Bridge");
  await page.getByRole("switch", { name: "Glass effect" }).uncheck();
  await page.getByLabel("Primary").fill("#0f766e");
  await save.click();
  await expect(page.getByText("Branding settings saved")).toBeVisible();
  await expect(page).toHaveTitle("Branding & Theme · Settings · Bridge");
  await expect(page.getByLabel("Primary")).toHaveValue("#0f766e");
  await expect(page.getByRole("switch", { name: "Glass effect" })).not.toBeChecked();
  if (javaScriptEnabled) await expectAccessible(page);

  await page.getByRole("link", { name: "Reset to Defaults" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reset to Defaults" }).click();
  await expect(page).toHaveTitle("Branding & Theme · Settings · Quarterdeck");
  await expect(page.getByLabel("App name")).toHaveValue("Quarterdeck");
});

test("advanced settings that someone else saved in the meantime aren't overwritten unseen", async ({
  page,
  open,
  server,
  javaScriptEnabled,
}) => {
  await open("/settings?tab=advanced");
  const theirs = javaScriptEnabled ? 2 : 1;
  const json = { ai: { retryAttempts: theirs } };
  await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  await page.getByLabel("Timeout", { exact: true }).fill("20000");
  await page.getByRole("button", { name: "Save Advanced Settings" }).click();
  await expect(page.getByText("Failed to save advanced settings")).toBeVisible();
  await expect(page.getByText(`Changed to ${theirs} since you opened it`)).toBeVisible();
  await expect(page.getByLabel("Timeout", { exact: true })).toHaveValue("20000");
  await page.getByLabel("Retry attempts").fill(String(theirs));
  await page.getByRole("button", { name: "Save Advanced Settings" }).click();
  await expect(page.getByText("Advanced settings saved")).toBeVisible();
  await expect(page.getByLabel("Timeout", { exact: true })).toHaveValue("20000");
  if (javaScriptEnabled) await expectAccessible(page);
});
