import { startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "owner" });

test("a provider is added, tested, changed, switched off and deleted", async ({ page, open }) => {
  const mock = await startAimock();
  const name = "Lab";
  try {
    await open("/settings?tab=providers");
    await page.getByRole("link", { name: "Add Provider" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Custom" }).check();
    await dialog.getByRole("button", { name: "Add Provider" }).click();
    await expect(dialog.getByText("Provider type and display name are required").first()).toBeVisible();
    await dialog.getByLabel("Display name").fill(name);
    await dialog.getByRole("button", { name: "Add Provider" }).click();
    await expect(dialog.getByText("Failed to create provider")).toBeVisible();
    await expect(dialog.getByLabel("Display name")).toHaveValue(name);
    await expect(dialog.getByRole("radio", { name: "Custom" })).toBeChecked();
    await dialog.getByLabel("Base URL").fill(`${mock.url}/v1`);
    await dialog.getByLabel("Additional models").fill("my-own-model\nsecond-model");
    await dialog.getByRole("button", { name: "Add Provider" }).click();

    const row = page.getByRole("listitem").filter({ has: page.getByTitle(name, { exact: true }) });
    await expect(row.getByText("Active", { exact: true })).toBeVisible();
    await expect(page.getByRole("cell", { name: "my-own-model", exact: true })).toBeVisible();
    await row.getByRole("button", { name: "Test Connection" }).click();
    await expect(row.getByText(/Connected\. \d+ models? discovered/)).toBeVisible();
    await expectAccessible(page);

    await row.getByRole("link", { name: `Edit ${name}` }).click();
    await expect(page.getByRole("dialog").getByLabel("Additional models")).toHaveValue(
      "my-own-model\nsecond-model",
    );
    await page.getByRole("dialog").getByLabel("Additional models").fill("second-model");
    await page.getByRole("dialog").getByRole("button", { name: "Save Changes" }).click();
    await expect(page.getByRole("cell", { name: "my-own-model", exact: true })).toHaveCount(0);
    await expect(page.getByRole("cell", { name: "second-model", exact: true })).toBeVisible();

    await row.getByRole("switch", { name: `${name} enabled` }).click();
    await expect(row.getByText("Disabled", { exact: true })).toBeVisible();
    await expect(page.getByRole("cell", { name: "second-model", exact: true })).toHaveCount(0);

    await row.locator("summary").click();
    await row.getByRole("link", { name: `Delete ${name}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect(row).toHaveCount(0);
  } finally {
    await mock.stop();
  }
});

test("a key is referenced by its variable's name, and a pasted key is never returned", async ({
  page,
  open,
}) => {
  const alias = "QUARTERDECK_KEY_SCRIPTED";
  await open("/settings?tab=keys&dialog=add-key");
  const dialog = page.getByRole("dialog");
  const save = dialog.getByRole("button", { name: "Save" });
  await expect(save).toBeDisabled();
  await dialog.getByLabel("Provider").selectOption("custom");
  await dialog.getByLabel("Alias").fill("sk-proj-0123456789abcdefghij");
  await save.click();
  await expect(dialog.getByText("This looks like the key itself", { exact: false }).first()).toBeVisible();
  expect(await page.content()).not.toContain("sk-proj-0123456789");
  await dialog.getByLabel("Alias").fill(alias);
  await save.click();
  await expect(dialog.getByText("Enter the address that may receive this key").first()).toBeVisible();
  await expect(dialog.getByLabel("Alias")).toHaveValue(alias);
  await dialog.getByLabel("Allowed address").fill("https://llm.example.com/v1");
  await save.click();
  await expect(page.getByText("Key reference saved.")).toBeVisible();
  const row = page.getByRole("listitem").filter({ hasText: alias });
  await expect(row.getByText("Not set")).toBeVisible();
  await expect(row.getByText("https://llm.example.com", { exact: false })).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("link", { name: `Remove ${alias}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Key reference removed.")).toBeVisible();
  await expect(page.getByText(alias)).toHaveCount(0);
});
