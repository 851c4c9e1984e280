import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, openSettings, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

// An empty server: what is set by default is the organization's.
test.use({ role: "owner", serverOf: "the pickers' tests" });

async function addModels(server: TestServer): Promise<void> {
  const json = {
    provider: "custom",
    displayName: "Lab",
    config: { baseUrl: "http://127.0.0.1:9/v1", models: ["lab-one", "lab-two", "deepseek-r1"] },
  };
  const made = await server.ask("/api/providers", { as: "owner", json });
  expect(made.status, await made.clone().text()).toBe(201);
}

const panelOf = (page: Page) => page.getByRole("dialog", { name: "Choose a model" });
const searchOf = (page: Page) => panelOf(page).getByRole("combobox", { name: "Search models" });
const header = (page: Page) => page.locator("#model-picker");

/** Presses the picker where a mouse would, at its middle. */
async function press(page: Page, picker: Locator): Promise<void> {
  const box = await picker.boundingBox();
  if (!box) throw new Error("The picker isn't shown.");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

test("a model is searched, chosen by keyboard or mouse, and set as a default", {
  tag: "@no-javascript",
}, async ({ page, open, server, javaScriptEnabled }) => {
  if (javaScriptEnabled !== false) await addModels(server);
  await open("/chat");
  await openSettings(page);
  const own = page.getByRole("combobox", { name: "Model", exact: true }).last();
  if (javaScriptEnabled === false) {
    // The browser's own list, in the same groups.
    await addModels(server);
    await open("/chat");
    await expect(own.locator("optgroup[label=Lab] option")).toHaveCount(3);
    await header(page).selectOption("lab-one");
    await page.getByRole("button", { name: "Use", exact: true }).click();
    await expect(own).toHaveValue("lab-one");
    return;
  }

  // By keyboard: what is typed narrows the list, and Enter takes the marked row.
  await own.press("Enter");
  await expect(searchOf(page)).toBeFocused();
  await expect(panelOf(page).getByRole("option", { name: /lab-two/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type("reasoning lab");
  await expect(panelOf(page).getByRole("option")).toHaveText([/Deepseek R1.*Lab · .*Reasoning/]);
  await page.keyboard.press("Enter");
  await expect(panelOf(page)).toHaveCount(0);
  await expect(own).toBeFocused();
  await expect(own).toHaveValue("deepseek-r1");
  // Effort stands with models that reason alone.
  await expect(page.getByLabel("Effort")).toBeVisible();

  // Tab leads to the defaults, and Escape leaves all as it was.
  await own.press("ArrowDown");
  await expect(panelOf(page).getByRole("button", { name: "For Me" })).toBeVisible();
  await searchOf(page).press("ArrowDown");
  await page.keyboard.press("Tab");
  await expect(panelOf(page).getByRole("button", { name: "For Me" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(panelOf(page)).toHaveCount(0);
  await expect(own).toHaveValue("deepseek-r1");

  // By mouse.
  await press(page, own);
  await panelOf(page)
    .getByRole("option", { name: /lab-two/ })
    .click();
  await expect(own).toHaveValue("lab-two");
  await expect(page.getByLabel("Effort")).toHaveCount(0);
  await expect(header(page)).not.toHaveValue("lab-two");

  // The defaults are presses of their own.
  await press(page, own);
  const forMe = panelOf(page).getByRole("button", { name: "For Me" });
  const forEveryone = panelOf(page).getByRole("button", { name: "For Everyone" });
  await expect(forMe).toHaveAttribute("aria-pressed", "false");
  await forMe.click();
  await expect(forMe).toHaveAttribute("aria-pressed", "true");
  await expect(header(page)).toHaveValue("lab-two");
  await expect(forEveryone).toHaveAttribute("aria-pressed", "false");
  await forEveryone.click();
  await expect(panelOf(page).getByRole("option", { name: /lab-two/ })).toContainText("Everyone's default");
  const routing = await server.ask("/api/settings/routing", { as: "owner" });
  expect(await routing.json()).toMatchObject({ defaultModel: "lab-two" });
  // A press beside the panel closes it.
  await page.mouse.click(5, 5);
  await expect(panelOf(page)).toHaveCount(0);
});

test("in a dialog Escape closes the panel alone, and effort follows the model and is kept", async ({
  page,
  open,
  server,
}) => {
  await addModels(server);
  await open("/personas?dialog=new");
  const form = page.getByRole("dialog", { name: "New Persona" });
  const model = form.getByLabel("Default model");
  const effort = form.getByLabel("Effort");
  await form.getByLabel("Name").fill("Thinker");
  await press(page, model);
  await searchOf(page).press("Escape");
  await expect(panelOf(page)).toHaveCount(0);
  await expect(form).toBeVisible();
  await press(page, model);
  await searchOf(page).fill("no such model");
  await expect(panelOf(page).getByRole("status")).toHaveText("No models found");
  // Enter would send the form around it.
  await searchOf(page).press("Enter");
  await searchOf(page).fill("deepseek");
  await panelOf(page).getByRole("option").click();
  await effort.selectOption("high");
  await press(page, model);
  await panelOf(page)
    .getByRole("option", { name: /lab-one/ })
    .click();
  await expect(effort).toHaveCount(0);
  await form.getByRole("button", { name: "Create Persona" }).click();
  await expect(page.getByText("Persona created successfully")).toBeVisible();
  const personas = await server.ask("/api/personas", { as: "owner" });
  expect(await personas.json()).toContainEqual(
    expect.objectContaining({ name: "Thinker", defaultModel: "lab-one", reasoningEffort: "high" }),
  );
});
