import { expect, test } from "../support/fixtures";

test.use({ role: "admin", serverOf: "plugins" });

test("a plugin is installed, configured with a key, used in chat, switched off and uninstalled", async ({
  page,
  open,
  server,
}, { project }) => {
  test.slow();
  const origin = "https://api.github.com";
  const key = {
    provider: "other",
    alias: `QUARTERDECK_KEY_${project.name.replace("-", "_").toUpperCase()}`,
    origin,
  };
  expect((await server.ask("/api/keys", { as: "admin", json: key })).status).toBe(201);
  await server.ask("/api/workflows", {
    as: "admin",
    json: {
      name: "Charts",
      steps: [{ type: "run_tool", config: { tool: "diagram-maker.chart", input: "{}" } }],
    },
  });

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

  await open("/extensions?dialog=install&id=diagram-maker");
  await page.getByRole("dialog").getByRole("button", { name: "Install" }).click();
  await expect(page.getByText("Plugin has been successfully installed.")).toBeVisible();
  const message = `diagram-maker.chart {"title": "Ships", "rows": [{"name": "Ada", "tons": 120}]}`;
  const answer = await server.ask("/api/ai/chat", {
    as: "admin",
    json: {
      messages: [{ role: "user", content: message }],
      model: "quarterdeck-offline",
      tools: ["diagram-maker.chart"],
    },
  });
  await answer.text();
  await open(`/chat/${answer.headers.get("x-conversation-id")}`);
  await expect(page.getByRole("img", { name: "Ships.svg" })).toBeVisible();

  await open("/extensions?tab=installed");
  await page.getByRole("switch", { name: "Diagram Maker enabled" }).click();
  await expect(page.getByText("Diagram Maker disabled")).toBeVisible();
  await open("/workflows");
  await expect(page.getByRole("article").filter({ hasText: "Charts" }).first()).toContainText(
    "Diagram Maker is inactive. An admin can enable it under Extensions.",
  );

  for (const title of ["Diagram Maker", "GitHub Issues"]) {
    await open("/extensions?tab=installed");
    await page.getByRole("link", { name: `Uninstall ${title}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Uninstall" }).click();
    await expect(page.getByText("Plugin uninstalled")).toBeVisible();
  }
  await expect(page.getByText("No plugins installed")).toBeVisible();
});
