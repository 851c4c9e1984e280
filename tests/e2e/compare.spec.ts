import { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";

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
  const slow = await startMock((mock) =>
    mock.onMessage(/./, { content: WORDS }, { chunkSize: 12, latency: 150 }),
  );
  mocks.push(await startAimock(), slow);
  const names = ["Mock", "Slow"];
  for (const [index, model] of [AIMOCK_MODEL, SLOW].entries()) {
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
  if (IS_FULL) await expectAccessible(page);
});

test("words that differ are marked beside one answer", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  const models = [AIMOCK_MODEL, "quarterdeck-offline"];
  const json = { prompt: "greet me", models };
  const made = await (await server.ask("/api/ai/comparisons", { as: "member", json })).json();
  const { id } = made as { id: string };
  const isRunning = async () => {
    const [newest] = (await (await server.ask("/api/ai/comparisons?limit=1", { as: "member" })).json()) as {
      running: boolean;
    }[];
    return newest?.running;
  };
  await expect.poll(isRunning).toBe(false);
  await open(`/compare/${id}`);
  const base = column(page, AIMOCK_MODEL);
  const text = await base.getByRole("article").innerText();
  await base.getByRole("link", { name: "Differences From This" }).click();
  await expect(base.getByText("Base", { exact: true })).toBeVisible();
  const other = column(page, "quarterdeck-offline");
  await expect(other.getByRole("deletion").first()).toBeVisible();
  await expect(other.getByRole("insertion").first()).toBeVisible();
  expect(text).toContain((await other.getByRole("deletion").first().innerText()).trim());
  await expect(base.getByRole("link", { name: "Differences From This" })).toHaveCount(0);
  if (IS_FULL) await expectAccessible(page);
  await page.getByRole("link", { name: "Show the answers" }).click();
  await expect(other.getByRole("insertion")).toHaveCount(0);
});

test("answers stream to their end, complete and once, and leave an empty form", async ({ page, open }) => {
  await open("/compare");
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("a hundred words");
  await page.getByLabel("Model 1").selectOption(AIMOCK_MODEL);
  await page.getByLabel("Model 2").selectOption("quarterdeck-offline");
  await prompt.press("Control+Enter");
  await expect(row(page, AIMOCK_MODEL)).toContainText("Complete", { timeout: 20_000 });
  const text = (await column(page, AIMOCK_MODEL).innerText()).match(/word\d+/g) ?? [];
  expect(text).toEqual(Array.from({ length: 100 }, (_, index) => `word${index}`));
  await open("/compare");
  await expect(prompt).toHaveValue("");
});
