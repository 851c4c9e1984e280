import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";

const SETTINGS = "/settings/providers";

let mock: LLMock;

// From an empty server on, one after the other: what is discovered and added is the organisation's.
test.describe.configure({ mode: "serial" });
test.use({ role: "owner", serverOf: "the models' tests" });

test.beforeAll(async () => {
  mock = await startAimock();
});
test.afterAll(async () => mock.stop());

const discovery = (page: Page) => page.getByRole("region", { name: "Model Discovery & Management" });
const active = (page: Page) => page.getByRole("region", { name: "Current Active Models" }).first();
const rowOf = (page: Page, name: string) =>
  discovery(page)
    .getByRole("listitem")
    .filter({ has: page.getByText(name, { exact: true }) });
const picker = (page: Page) => page.locator("#model-picker");

test("empty lists say how to fill them", async ({ page, open }) => {
  await open(SETTINGS);
  await expect(discovery(page).getByRole("heading", { name: "No models found" })).toBeVisible();
  await expect(discovery(page).getByText("Click Discover Models", { exact: false })).toBeVisible();
  await expect(
    active(page).getByText("No models available. Configure providers to access models.", { exact: true }),
  ).toBeVisible();
  await expectAccessible(page);
});

test("the hubs' models are discovered, and filter and search are in the URL", async ({ page, open }) => {
  await open(SETTINGS);
  await discovery(page).getByRole("button", { name: "Discover Models" }).click();
  await expect(page.getByText("The hubs offer 40 models.")).toBeVisible();
  await expect(discovery(page).getByText("Fallback", { exact: true })).toHaveCount(0);

  await open(`${SETTINGS}?filter=openrouter`);
  await expect(discovery(page).getByRole("listitem")).toHaveCount(10);
  await discovery(page).getByRole("link", { name: "Show All 20 Models" }).click();
  await expect(discovery(page).getByRole("listitem")).toHaveCount(20);
  await expect(rowOf(page, "Seaway: Navigator 1")).toContainText("OpenRouter · 32,768 tokens");
  await expect(rowOf(page, "Seaway: Navigator 1")).toContainText("$0.00025 in, $0.001 out per 1K");

  await open(`${SETTINGS}?filter=huggingface`);
  await discovery(page).getByLabel("Search models").fill("halyard-4b");
  await discovery(page).getByRole("button", { name: "Search" }).click();
  await expect(page).toHaveURL(/filter=huggingface.*search=halyard-4b/);
  await expect(discovery(page).getByRole("listitem")).toHaveCount(1);
  await expect(discovery(page).getByRole("listitem")).toContainText("8,184,516 downloads");

  await discovery(page).getByLabel("Search models").fill("no such model");
  await discovery(page).getByRole("button", { name: "Search" }).click();
  await expect(
    discovery(page).getByText("Try adjusting your search or filter criteria.", { exact: true }),
  ).toBeVisible();
  await expectAccessible(page);
});

const openMenu = (page: Page, name: string) =>
  discovery(page).getByLabel(`More actions for ${name}`, { exact: true }).click();

test("a discovered model is added, recommended, hidden and removed", async ({ page, open }) => {
  const name = "Seaway: Navigator 2";
  await open(`${SETTINGS}?filter=openrouter`);
  await page.getByRole("button", { name: `Add ${name}`, exact: true }).click();
  await expect(page.getByText("Model Added")).toBeVisible();
  await expect(rowOf(page, name).getByText("Added, no provider")).toBeVisible();
  await expect(page).toHaveURL(/filter=openrouter/);

  await page.getByRole("button", { name: `Recommend ${name}`, exact: true }).click();
  await expect(rowOf(page, name).getByText("Recommended", { exact: true })).toBeVisible();
  await openMenu(page, name);
  await page.getByRole("button", { name: `Hide ${name}`, exact: true }).click();
  await expect(rowOf(page, name).getByText("Hidden", { exact: true })).toBeVisible();
  await openMenu(page, name);
  await page.getByRole("button", { name: `Show ${name}`, exact: true }).click();
  await expect(rowOf(page, name).getByText("Hidden", { exact: true })).toHaveCount(0);

  await openMenu(page, name);
  await page.getByRole("link", { name: `Remove ${name}`, exact: true }).click();
  await page
    .getByRole("alertdialog", { name: `Remove ${name}?` })
    .getByRole("button", { name: "Remove" })
    .click();
  await expect(page.getByText("Model removed")).toBeVisible();
  await expect(page.getByRole("button", { name: `Add ${name}`, exact: true })).toBeVisible();
});

test("a custom model requires an ID and a name, has defaults, and is served by its type's providers", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  const made = await server.ask("/api/providers", {
    as: "owner",
    json: {
      provider: "custom",
      displayName: "One",
      config: { baseUrl: `${mock.url}/v1`, models: [AIMOCK_MODEL] },
    },
  });
  expect(made.status, await made.clone().text()).toBe(201);
  await open(SETTINGS);
  await page.getByRole("link", { name: "Add Custom Model" }).click();
  const dialog = page.getByRole("dialog", { name: "Add Custom Model" });
  await dialog.getByLabel("Max tokens").fill("many");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(dialog.getByRole("textbox", { name: "Model ID", exact: true })).toHaveAccessibleDescription(
    /Enter the model's ID/,
  );
  await expect(dialog.getByRole("textbox", { name: "Name", exact: true })).toHaveAccessibleDescription(
    "Enter the model's name",
  );
  await expect(dialog.getByLabel("Max tokens")).toHaveValue("many");
  await expectAccessible(page);

  await dialog.getByRole("textbox", { name: "Model ID", exact: true }).fill("harbour-7b");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("Harbour 7B");
  await dialog.getByLabel("Description").fill("Tuned on our own logs.");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(page.getByText("Custom model added successfully.")).toBeVisible();
  await expect(rowOf(page, "Harbour 7B")).toContainText("Custom · 4,096 tokens");
  await expect(rowOf(page, "Harbour 7B")).toContainText("Available");
  await expect(picker(page).locator("option", { hasText: "Harbour 7B" })).toHaveCount(1);

  await open(`${SETTINGS}/models?dialog=add-model`);
  await dialog.getByRole("textbox", { name: "Model ID", exact: true }).fill("harbour-7b");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("Again");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(dialog.getByRole("textbox", { name: "Model ID", exact: true })).toHaveAccessibleDescription(
    /This model already exists/,
  );
});

test("a model's price, name and routing are set, and blank fields revert to the catalog", {
  tag: "@no-javascript",
}, async ({ page, open }) => {
  await open(SETTINGS);
  await active(page).getByRole("link", { name: "Edit GPT-4o", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^Edit / });
  await expect(dialog.getByRole("checkbox", { name: "vision" })).toBeChecked();
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("House model");
  await dialog.getByLabel("Input cost").fill("0.5");
  await dialog.getByLabel("Fallback models").fill(AIMOCK_MODEL);
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(dialog.getByLabel("Output cost")).toHaveAccessibleDescription(/Enter both prices/);
  await dialog.getByLabel("Output cost").fill("1.5");
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(dialog.getByLabel("Fallback models")).toHaveAccessibleDescription(/can't be its own fallback/);
  await expect(dialog.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("House model");
  await expectAccessible(page);
  await dialog.getByLabel("Fallback models").fill("harbour-7b");
  await dialog.getByLabel("Routing policy").selectOption("Cheapest");
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Model saved")).toBeVisible();
  const saved = active(page).getByRole("row").filter({ hasText: "House model" });
  await expect(saved).toContainText("$0.5");
  await expect(saved).toContainText("set here");

  await saved.getByRole("link", { name: "Edit House model" }).click();
  await expect(dialog.getByLabel("Routing policy")).toHaveValue("cheapest");
  await expect(dialog.getByLabel("Fallback models")).toHaveValue("harbour-7b");
  await dialog.getByLabel("Input cost").fill("");
  await dialog.getByLabel("Output cost").fill("");
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Model saved")).toBeVisible();
  await expect(saved).not.toContainText("set here");
});

test("a hidden model leaves the pickers and stays marked among the active ones", async ({ page, open }) => {
  await open(`${SETTINGS}/models?dialog=edit-model&model=harbour-7b`);
  const dialog = page.getByRole("dialog", { name: "Edit Harbour 7B" });
  await dialog.getByRole("checkbox", { name: "Hidden" }).check();
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(active(page).getByRole("row").filter({ hasText: "harbour-7b" })).toContainText("Hidden");
  await expect(picker(page).locator("option", { hasText: "Harbour 7B" })).toHaveCount(0);
  await open("/chat");
  await expect(page.locator("option", { hasText: "Harbour 7B" })).toHaveCount(0);
  await open("/personas?dialog=new");
  await expect(page.locator("option", { hasText: "harbour-7b" })).toHaveCount(0);
});

test("an alias is one ID that two providers serve under their own IDs", async ({ page, open, server }) => {
  const second = await server.ask("/api/providers", {
    as: "owner",
    json: { provider: "custom", displayName: "Two", config: { baseUrl: `${mock.url}/v1` } },
  });
  expect(second.status, await second.clone().text()).toBe(201);
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
  await expect(dialog.getByRole("combobox", { name: "Provider 1" })).toHaveText(/One/);
  await dialog.getByLabel("Model ID at provider 2").fill("gpt-4o-mini");
  await dialog.getByRole("button", { name: "Add Model" }).click();
  await expect(page.getByText("Custom model added successfully.")).toBeVisible();
  const row = active(page).getByRole("row").filter({ hasText: "team-best" });
  await expect(row).toContainText("One");
  await expect(row).toContainText("and 1 more");
  await expect(picker(page).locator("option", { hasText: "Team best" })).toHaveCount(1);
});

test("the catalog's search, filter and order are in the URL", async ({ page, open }) => {
  await open(`${SETTINGS}/catalogue`);
  await expect(page.getByRole("navigation", { name: "Settings" }).locator("[aria-current=page]")).toHaveText(
    "Providers",
  );
  const rows = page.getByRole("table", { name: "Models" }).locator("tbody tr");
  expect(await rows.count()).toBeGreaterThanOrEqual(40);
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...heights.slice(0, 20))).toBeLessThan(48);
  await expect(page.getByText(/prices per 1K tokens as of \w+ \d+, \d{4}/)).toBeVisible();
  await expectAccessible(page);

  const context = page.getByRole("columnheader", { name: "Context" });
  await context.getByRole("link").click();
  await expect(context).toHaveAttribute("aria-sort", "ascending");
  await context.getByRole("link").click();
  await expect(context).toHaveAttribute("aria-sort", "descending");
  await expect(page).toHaveURL(/sort=context&order=desc/);
  const lengths = (await rows.locator("td:nth-child(3)").allTextContents()).map((text) =>
    Number(text.replaceAll(",", "")),
  );
  expect(lengths).toEqual([...lengths].sort((a, b) => b - a));

  await page.getByLabel("Search the catalog").fill("claude");
  await page.getByRole("button", { name: "Search", exact: true }).last().click();
  await expect(page).toHaveURL(/sort=context&order=desc.*search=claude/);
  await expect(rows.first()).toContainText(/claude/i);
  await open(`${SETTINGS}/catalogue?search=no-such-model`);
  await expect(page.getByText("Try adjusting your search or filter criteria.")).toBeVisible();
});

test("the catalog's table fits a window of 1024 pixels", async ({ page, open }) => {
  await page.setViewportSize({ width: 1024, height: 800 });
  await open("/settings/providers/catalogue");
  const table = page.getByRole("region", { name: "Models" });
  await expect(table.getByRole("row").nth(1)).toBeVisible();
  const beyond = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(beyond).toBe(0);
});
