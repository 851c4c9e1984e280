import { startAimock } from "../support/aimock";
import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";

test.use({ role: "owner" });

test("a provider is added, tested and switched off", async ({ page, open, server }) => {
  const mock = await startAimock();
  const name = "Lab";
  try {
    await open("/settings?tab=providers");
    await page.getByRole("link", { name: "Add Provider" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Custom" }).check();
    await dialog.getByLabel("Display name").fill("");
    await dialog.getByRole("button", { name: "Add Provider" }).click();
    await expect(dialog.getByText("Provider type and display name are required").first()).toBeVisible();
    await expect(dialog.getByRole("radio", { name: "Custom" })).toBeChecked();
    await dialog.getByLabel("Display name").fill(name);
    await dialog.getByLabel("Base URL").fill(`${mock.url}/v1`);
    await dialog.getByText("More options").click();
    await dialog.getByLabel("Additional models").fill("my-own-model\nsecond-model");
    await dialog.getByRole("button", { name: "Add Provider" }).click();

    const row = page.getByRole("listitem").filter({ has: page.getByTitle(name, { exact: true }) });
    await expect(row.getByText("Active", { exact: true })).toBeVisible();
    await expect(page.getByRole("cell", { name: "my-own-model", exact: true })).toBeVisible();
    await row.getByRole("button", { name: "Test Connection" }).click();
    await expect(row.getByText(/Connected\. \d+ models? discovered/)).toBeVisible();
    await expectAccessible(page);

    await row.getByRole("switch", { name: `${name} enabled` }).click();
    await expect(row.getByText("Disabled", { exact: true })).toBeVisible();
    await expect(page.getByRole("cell", { name: "second-model", exact: true })).toHaveCount(0);
  } finally {
    const providers = await (await server.ask("/api/providers", { as: "owner" })).json();
    for (const { id } of providers as { id: string }[])
      await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
    await mock.stop();
  }
});

if (IS_FULL)
  test(
    "finds a new token and a key's reference accessible",
    { tag: "@no-javascript" },
    async ({ page, open, server }, { project }) => {
      await open("/settings/profile?dialog=new-token");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill(`Token ${project.name}`);
      await dialog.getByRole("radio", { name: "Custom" }).check();
      await dialog.getByRole("button", { name: "Create Token" }).click();
      await expect(dialog.getByText("Select at least one permission")).toBeVisible();
      await expectAccessible(page);
      await dialog.getByLabel("Edit personas").check();
      await dialog.getByRole("button", { name: "Create Token" }).click();
      await expect(dialog.getByLabel("Token", { exact: true })).toBeVisible();
      await expectAccessible(page);
      const key = { provider: "custom", alias: "QUARTERDECK_KEY_AXE", origin: "https://llm.example.com" };
      await server.ask("/api/keys", { as: "owner", json: key });
      await open("/settings/keys");
      await expect(page.getByText(key.alias).first()).toBeVisible();
      await expectAccessible(page);
    },
  );
