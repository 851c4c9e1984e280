import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";

const SETTINGS = "/settings/providers";

let mock: LLMock;

// From an empty server on, one after the other: what is added is the organisation's.
test.describe.configure({ mode: "serial" });
test.use({ role: "owner", serverOf: "the models' tests" });

test.beforeAll(async () => {
  mock = await startAimock();
});
test.afterAll(async () => mock.stop());

const active = (page: Page) => page.getByRole("region", { name: "Current Active Models" }).first();
const picker = (page: Page) => page.locator("#model-picker");

test("a chosen type shows what it offers, and the first provider is added", async ({
  page,
  open,
  server,
}) => {
  await open(SETTINGS);
  await expect(page.getByRole("heading", { name: "No providers configured" })).toBeVisible();
  await page.getByRole("link", { name: "Add First Provider" }).click();
  const dialog = page.getByRole("dialog", { name: "Add Provider" });
  const details = dialog.locator("div:has(> label :checked) + div");
  await dialog.getByRole("radio", { name: "Anthropic" }).check();
  await expect(details).toBeVisible();
  await expect(details).not.toContainText("Embeddings");
  await dialog.getByRole("radio", { name: "OpenAI" }).check();
  await expect(details).toContainText("Embeddings");
  await dialog.getByLabel("Display name").fill("My OpenAI");
  await dialog.getByLabel("Base URL").fill(`${mock.url}/v1`);
  await dialog.getByRole("button", { name: "Add Provider" }).click();
  // Its variable, where it is set, is for the type's own address.
  await expect(dialog.getByText(/The test failed.*My OpenAI has no API key/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save Anyway" }).click();
  const row = page.getByRole("listitem").filter({ has: page.getByTitle("My OpenAI", { exact: true }) });
  await expect(page.getByText("Provider added, but it can't be used yet")).toBeVisible();
  await expect(row.getByText("Active · Offline", { exact: true })).toBeVisible();
  await expect(row.getByText(/Tools/)).toBeVisible();
  await expectAccessible(page);
  const [added] = (await (await server.ask("/api/providers", { as: "owner" })).json()) as { id: string }[];
  await server.ask(`/api/providers/${added?.id}`, { as: "owner", method: "DELETE" });
});

test("an alias is one ID that two providers serve under their own IDs", async ({ page, open, server }) => {
  for (const displayName of ["One", "Two"]) {
    const json = { provider: "custom", displayName, config: { baseUrl: `${mock.url}/v1` } };
    const made = await server.ask("/api/providers", { as: "owner", json });
    expect(made.status, await made.clone().text()).toBe(201);
  }
  await open(`${SETTINGS}/models?dialog=add-model`);
  const dialog = page.getByRole("dialog", { name: "Add Custom Model" });
  await dialog.getByRole("textbox", { name: "Model ID", exact: true }).fill("team-best");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("Team best");
  await expect(dialog.getByRole("combobox", { name: /^Provider \d/ })).toHaveCount(1);
  await dialog.getByRole("combobox", { name: "Provider 1" }).selectOption("One");
  await expect(dialog.getByRole("combobox", { name: /^Provider \d/ })).toHaveCount(2);
  await dialog.getByLabel("Model ID at provider 1").fill(AIMOCK_MODEL);
  await dialog.getByRole("combobox", { name: "Provider 2" }).selectOption("Two");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(dialog.getByLabel("Model ID at provider 2")).toHaveAccessibleDescription(
    "Enter the provider's model ID",
  );
  await expectAccessible(page);
  await expect(dialog.getByRole("combobox", { name: "Provider 1" })).toHaveText(/One/);
  await dialog.getByLabel("Model ID at provider 2").fill("gpt-4o-mini");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(page.getByText("Custom model added successfully.")).toBeVisible();
  const row = active(page).getByRole("row").filter({ hasText: "team-best" });
  await expect(row).toContainText("One");
  await expect(row).toContainText("and 1 more");
  await expect(picker(page).locator("option", { hasText: "Team best" })).toHaveCount(1);
});

test("the catalog's rows are low, and its table fits a window of 1024 pixels", async ({ page, open }) => {
  await open(`${SETTINGS}/catalogue`);
  const rows = page.getByRole("table", { name: "Models" }).locator("tbody tr");
  expect(await rows.count()).toBeGreaterThanOrEqual(40);
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...heights.slice(0, 20))).toBeLessThan(48);
  await page.setViewportSize({ width: 1024, height: 800 });
  const table = page.getByRole("region", { name: "Models" });
  const beyond = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(beyond).toBe(0);
});
