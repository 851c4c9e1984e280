import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { expect, openSettings, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

let mock: LLMock;

test.use({ role: "member", serverOf: "refused messages" });

test.beforeAll(async ({ servers }) => {
  mock = await startAimock();
  await addMockProvider(await servers.of("refused messages"), mock);
});

test.afterAll(() => mock.stop());

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const questions = (page: Page) => page.getByRole("article", { name: "You" });
const answer = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();

async function send(page: Page, text: string) {
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
  await field(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** In requests per minute; none turns the limit off. */
async function limitRate(server: TestServer, rateLimit?: number): Promise<void> {
  const performance = { rateLimitEnabled: rateLimit !== undefined, ...(rateLimit ? { rateLimit } : {}) };
  const response = await server.ask("/api/settings/advanced", {
    as: "owner",
    method: "PUT",
    json: { performance },
  });
  expect(response.status, await response.clone().text()).toBe(200);
}

test("a message over the rate limit is kept, and is sent later", async ({ page, open, server }) => {
  await open("/chat");
  await limitRate(server, 10);
  try {
    for (let count = 0; count < 10; count += 1) await server.ask("/api/tools", { as: "member" });
    await send(page, "greet me");
    // The model, whose choice is a request of its own, is refused too.
    await expect(page.getByText("The limit of 10 requests per minute is reached.").first()).toBeVisible();
    await expect(field(page)).toHaveValue("greet me");
  } finally {
    await limitRate(server);
  }
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answer(page)).toContainText("Hello from the other end.");
  await page.reload();
  await expect(questions(page)).toHaveCount(1);
  await expect(field(page)).toHaveValue("");
});

test("a message of 1 MB is refused, is kept, and can be sent shortened", async ({ page, open }) => {
  const text = `${"greet ".repeat(180_000)}me`;
  await open("/chat");
  await send(page, text);
  await expect(page.getByText(/shorten|Use at most 200,000 characters/i)).toBeVisible();
  expect((await field(page).inputValue()).length).toBe(text.length);
  await field(page).fill("greet me");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answer(page)).toContainText("Hello from the other end.");
});
