import { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";

const FAILING = "failing-model";
const SLOW = "slow-model";
/** Takes most of a minute, so that there is time to do something in the meantime. */
const WORDS = Array.from({ length: 400 }, (_, index) => `slow${index}`).join(" ");

const mocks: LLMock[] = [];

test.use({ role: "member" });

/** An upstream that answers every prompt in its own way. */
async function startMock(set: (mock: LLMock) => void): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true });
  set(mock);
  await mock.start();
  return mock;
}

test.beforeAll(async ({ server }) => {
  const failing = await startMock((mock) =>
    mock.onMessage(/./, { error: { message: "Incorrect API key provided" }, status: 401 }),
  );
  const slow = await startMock((mock) =>
    mock.onMessage(/./, { content: WORDS }, { chunkSize: 12, latency: 150 }),
  );
  mocks.push(await startAimock(), failing, slow);
  const names = ["Mock", "Broken", "Slow"];
  for (const [index, model] of [AIMOCK_MODEL, FAILING, SLOW].entries()) {
    const made = await server.ask("/api/providers", {
      as: "owner",
      json: {
        provider: "custom",
        displayName: names[index],
        enabled: true,
        config: { baseUrl: `${mocks[index]?.url}/v1`, models: [model] },
      },
    });
    expect(made.status, await made.clone().text()).toBe(201);
  }
});

test.afterAll(async ({ server }) => {
  const providers = (await (await server.ask("/api/providers", { as: "owner" })).json()) as { id: string }[];
  for (const { id } of providers) await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
  for (const mock of mocks.splice(0)) await mock.stop();
});

async function compare(page: Page, prompt: string, models: readonly string[]) {
  await page.getByRole("textbox", { name: "Prompt" }).fill(prompt);
  for (const [index, model] of models.entries()) {
    await page.getByLabel(`Model ${index + 1}`).selectOption(model);
  }
  await page.getByRole("button", { name: "Compare", exact: true }).click();
}

const NAMES: Record<string, string> = {
  [AIMOCK_MODEL]: "GPT-4o",
  "quarterdeck-offline": "Quarterdeck offline",
};
const column = (page: Page, model: string) =>
  page.getByRole("region", { name: NAMES[model] ?? model, exact: true });
const row = (page: Page, model: string) => page.getByRole("row", { name: NAMES[model] ?? model });

test("a prompt goes to three models; the failing one shows the reason, the others answer", async ({
  page,
  open,
}) => {
  await open("/chat");
  await page.getByRole("link", { name: "Compare Models" }).click();
  await expect(page.getByRole("heading", { name: "Compare models" })).toBeVisible();
  await expectAccessible(page);
  await compare(page, "greet me", [AIMOCK_MODEL, FAILING, "quarterdeck-offline"]);
  await expect(column(page, AIMOCK_MODEL)).toContainText("Hello from the other end.");
  await expect(column(page, "quarterdeck-offline")).toContainText("not a language model");
  await expect(column(page, FAILING)).toContainText(/Broken.*key/);
  await expect(row(page, AIMOCK_MODEL)).toContainText("Complete");
  await expect(row(page, AIMOCK_MODEL)).toContainText(/\d+ ms|\d s/);
  await expect(row(page, FAILING)).toContainText("Failed");
  // Of the two that answered one is no language model: there is nothing to compare.
  await expect(page.getByText("Fastest")).toHaveCount(0);
  await expect(page).toHaveURL(/\/compare\/cmp_\w+$/);
  await expectAccessible(page);
});

test("an invalid comparison shows an error at its field and keeps the input", {
  tag: "@no-javascript",
}, async ({ page, open, javaScriptEnabled }) => {
  await open("/compare");
  await compare(page, "", [AIMOCK_MODEL, AIMOCK_MODEL]);
  await expect(page.getByText("Enter a prompt")).toBeVisible();
  await expect(page.getByText("Choose each model only once")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Prompt" }).fill("greet me");
  if (javaScriptEnabled !== false)
    await expect(page.getByText("Enter a prompt", { exact: true })).toHaveCount(0);
  await page.getByLabel("Model 2").selectOption("");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(page.getByText("Choose at least 2 models")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Prompt" })).toHaveValue("greet me");
  await expect(page.getByLabel("Model 1")).toHaveValue(AIMOCK_MODEL);
});

test("the answers stream, survive a reload and are stopped together", {
  tag: "@no-javascript",
}, async ({ page, open, javaScriptEnabled }) => {
  await open("/compare");
  await compare(page, "greet me", [SLOW, AIMOCK_MODEL]);
  await expect(page.getByText("slow3 ").first()).toBeVisible();
  if (javaScriptEnabled === false) await expect(page).toHaveURL(/\/compare\/cmp_\w+\/live$/);
  // Without script the page is only loaded when the answers are whole.
  await page.reload({ waitUntil: "commit" });
  await expect(page.getByText("slow3 ").first()).toBeVisible();
  await page.getByRole("button", { name: "Stop All" }).click();
  await expect(row(page, SLOW)).toContainText("Stopped");
  await expect(row(page, AIMOCK_MODEL)).toContainText("Complete");
  await expect(column(page, SLOW)).toContainText("slow3 ");
  await expect(column(page, SLOW)).not.toContainText("slow399");
  await expect(page.getByRole("button", { name: "Stop All" })).toHaveCount(0);
});

test("an answer streams to its end without interaction, complete and once", async ({ page, open }) => {
  await open("/compare");
  await compare(page, "long please", [AIMOCK_MODEL, "quarterdeck-offline"]);
  await expect(row(page, AIMOCK_MODEL)).toContainText("Complete", { timeout: 20_000 });
  const text = (await column(page, AIMOCK_MODEL).innerText()).match(/word\d+/g) ?? [];
  expect(text).toEqual(Array.from({ length: 200 }, (_, index) => `word${index}`));
});

test("an answer is continued in the chat, and a comparison is deleted after a confirmation", async ({
  page,
  open,
}) => {
  const prompt = `greet me ${Date.now()}`;
  await open("/compare");
  await compare(page, prompt, [AIMOCK_MODEL, "quarterdeck-offline"]);
  await expect(row(page, AIMOCK_MODEL)).toContainText("Complete");
  await column(page, AIMOCK_MODEL).getByRole("button", { name: "Continue in Chat" }).click();
  await expect(page).toHaveURL(/\/chat\/con_/);
  // The address changes a moment before the page does.
  await expect(column(page, "quarterdeck-offline")).toHaveCount(0);
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("Hello from the other end.");
  await expect(page.getByRole("link", { name: prompt })).toBeVisible();

  await page.goto("/compare");
  await page.getByRole("link", { name: `Delete ${prompt}` }).click();
  await expect(page.getByRole("alertdialog")).toContainText(prompt);
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Comparison deleted")).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: prompt, exact: true })).toHaveCount(0);
});

test("a comparison is repeated with another model", async ({ page, open, javaScriptEnabled }) => {
  await open("/compare");
  await compare(page, "greet me twice", [AIMOCK_MODEL, "quarterdeck-offline"]);
  await page.getByRole("link", { name: "Compare Again" }).click();
  await expect(page.getByRole("textbox", { name: "Prompt" })).toHaveValue("greet me twice");
  await expect(page.getByLabel("Model 2")).toHaveValue("quarterdeck-offline");
  await page.getByLabel("Model 2").selectOption(FAILING);
  if (javaScriptEnabled === false) await page.getByRole("button", { name: "Compare", exact: true }).click();
  else await page.getByRole("textbox", { name: "Prompt" }).press("Control+Enter");
  await expect(column(page, FAILING)).toContainText(/Broken/);
});

test("a prompt is kept over a reload until it is compared", async ({ page, open }, { project }) => {
  test.skip(project.name === "no-javascript");
  await open("/compare");
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  const restored = page.getByText("Unsaved changes restored");
  await prompt.fill("Which is better?");
  await page.reload();
  await expect(restored).toBeVisible();
  await expect(prompt).toHaveValue("Which is better?");
  await compare(page, "Which is best?", [AIMOCK_MODEL, "quarterdeck-offline"]);
  await expect(page).toHaveURL(/\/compare\/\w+$/);
  await open("/compare");
  await expect(prompt).toHaveValue("");
  await expect(restored).toHaveCount(0);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("shows why comparing is unavailable", async ({ page, open }) => {
    await open("/compare");
    await expect(page.getByText("Viewers can't chat with models")).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Prompt" })).toHaveCount(0);
    await expectAccessible(page);
    await page.goto("/chat");
    await expect(page.getByRole("link", { name: "Compare Models" })).toHaveCount(0);
  });
});
