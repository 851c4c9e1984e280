import { expect, test } from "../support/fixtures";

test.use({ role: "admin" });

test("a plugin is installed, configured with a key, switched off and uninstalled", async ({
  page,
  open,
  server,
}) => {
  const origin = "https://api.github.com";
  const key = { provider: "other", alias: "QUARTERDECK_KEY_ISSUES", origin };
  expect((await server.ask("/api/keys", { as: "admin", json: key })).status).toBe(201);

  await open("/extensions?search=github");
  await page.getByRole("link", { name: "Install GitHub Issues" }).click();
  const consent = page.getByRole("dialog", { name: "Install GitHub Issues?" });
  await expect(consent).toContainText("Can use a key reference for Token.");
  await consent.getByRole("button", { name: "Install" }).click();
  await expect(page.getByText("Plugin has been successfully installed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "GitHub Issues is installed" })).toBeDisabled();

  await page.getByRole("link", { name: "Installed (1)" }).click();
  await page.getByRole("link", { name: "Configure GitHub Issues" }).click();
  const settings = page.getByRole("dialog", { name: "Configure GitHub Issues" });
  await settings.getByLabel("Token").selectOption({ label: `${key.alias} (${origin})` });
  await settings.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("GitHub Issues configured")).toBeVisible();

  await page.getByRole("switch", { name: "GitHub Issues enabled" }).click();
  await expect(page.getByText("GitHub Issues disabled")).toBeVisible();
  await page.getByRole("link", { name: "Uninstall GitHub Issues" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Uninstall" }).click();
  await expect(page.getByText("Plugin uninstalled")).toBeVisible();
  await expect(page.getByText("No plugins installed")).toBeVisible();
});
