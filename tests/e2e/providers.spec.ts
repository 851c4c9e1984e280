import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

let mock: LLMock;

// An order of providers is the organisation's: these tests have a server of their own.
test.describe.configure({ mode: "serial" });
test.use({ role: "owner", serverOf: "the providers' tests" });

test.beforeAll(async () => {
  mock = await startAimock();
});
test.afterAll(async () => mock.stop());
test.afterEach(async ({ server }) => {
  for (const { id } of await listed(server))
    await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
});

async function listed(server: TestServer): Promise<{ id: string; displayName: string }[]> {
  return (await (await server.ask("/api/providers", { as: "owner" })).json()) as [];
}

async function add(server: TestServer, displayName: string, config: Record<string, unknown> = {}) {
  const made = await server.ask("/api/providers", {
    as: "owner",
    json: { provider: "custom", displayName, config: { baseUrl: `${mock.url}/v1`, ...config } },
  });
  expect(made.status, await made.clone().text()).toBe(201);
}

const rowOf = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByTitle(name, { exact: true }) });

const openMenu = (page: Page, name: string) => rowOf(page, name).locator("summary").click();

const TYPES = ["OpenAI", "Anthropic", "Google", "Hugging Face", "OpenRouter", "Ollama", "Custom"];

test("every provider type describes itself and its model list, and the first provider is added", async ({
  page,
  open,
}) => {
  await open("/settings/providers");
  await expect(page.getByRole("heading", { name: "No providers configured" })).toBeVisible();
  await page.getByRole("link", { name: "Add First Provider" }).click();
  const dialog = page.getByRole("dialog", { name: "Add Provider" });
  await expect(dialog.getByRole("radio")).toHaveCount(TYPES.length);
  for (const label of TYPES) {
    const type = dialog.getByRole("radio", { name: label });
    await type.check();
    await expect(type).toHaveAccessibleDescription(/.{20}/);
    const details = dialog.locator("div:has(> label :checked) + div");
    await expect(details).toBeVisible();
    await expect(details).toContainText(/list|ask|discovered/i);
  }
  await dialog.getByRole("radio", { name: "OpenAI" }).check();
  await dialog.getByLabel("Display name").fill("My OpenAI");
  await dialog.getByLabel("Base URL").fill(`${mock.url}/v1`);
  await dialog.getByRole("button", { name: "Add Provider" }).click();
  const row = rowOf(page, "My OpenAI");
  // Its variable, where it is set, is for the type's own address.
  await expect(page.getByText("Provider added, but it can't be used yet")).toBeVisible();
  await expect(row.getByText("Active · Offline", { exact: true })).toBeVisible();
  await expect(row.getByText(/Tools/)).toBeVisible();
  await expectAccessible(page);
});

test("an Ollama on this host is offered and added with one click", async ({ page, open }) => {
  await open("/settings/providers");
  await expect(page.getByText(/with 3 models/)).toBeVisible();
  await page.getByRole("button", { name: "Add Ollama on this host" }).click();
  const row = rowOf(page, "Ollama on this host");
  await expect(row.getByText("Active", { exact: true })).toBeVisible();
  await expect(row).toContainText("3 models");
  await expect(page.getByRole("button", { name: "Add Ollama on this host" })).toHaveCount(0);
});

test("a provider's health appears on its row after a call", async ({ page, open, server }) => {
  await add(server, "Called", { models: [AIMOCK_MODEL] });
  const call = (content: string) =>
    server.ask("/api/ai/chat", {
      as: "owner",
      json: { messages: [{ role: "user", content }], model: AIMOCK_MODEL },
      headers: { accept: "text/plain" },
    });
  expect(await (await call("greet me")).text()).toContain("Hello");
  await open("/settings/providers");
  const row = rowOf(page, "Called");
  await expect(row.getByText("Online", { exact: true })).toBeVisible();
  await expect(row.getByTitle("Time to first token")).toHaveText(/^\d+ ms$/);
  await expect(row.getByText("0% errors")).toBeVisible();
  await (await call("refused please")).text();
  await page.reload();
  await expect(row.getByText("50% errors")).toBeVisible();
  await expect(row.getByText(/^Last failure/)).toBeVisible();
  await expectAccessible(page);
});

test("limits are saved, shown on the row and rejected if not a number", async ({ page, open, server }) => {
  await add(server, "Limited");
  await open("/settings/providers");
  await page.getByRole("link", { name: "Edit Limited" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Max concurrent requests").fill("none");
  await dialog.getByLabel("Max requests per minute").fill("600");
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(dialog.getByLabel("Max concurrent requests")).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByLabel("Max requests per minute")).toHaveValue("600");
  await dialog.getByLabel("Max concurrent requests").fill("4");
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(rowOf(page, "Limited").getByText(/4 at a time · 600 a minute/)).toBeVisible();
});

test("providers are reordered with buttons", async ({ page, open, server }) => {
  await add(server, "First");
  await add(server, "Second");
  await open("/settings/providers");
  await openMenu(page, "First");
  await expect(page.getByRole("button", { name: "Move First up" })).toHaveCount(0);
  // A second click closes it, with and without script.
  await openMenu(page, "First");
  await openMenu(page, "Second");
  await expect(page.getByRole("button", { name: "Move Second down" })).toHaveCount(0);
  await page.getByRole("button", { name: "Move Second up" }).click();
  await expect(page.getByText("Second moved up.")).toBeVisible();
  expect((await listed(server)).map(({ displayName }) => displayName)).toEqual(["Second", "First"]);
});
