import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LLMock } from "@copilotkit/aimock";
import type { Locator } from "@playwright/test";
import { startAimock } from "../support/aimock";
import { test as base, expect, expectAccessible } from "../support/fixtures";
import { startServer } from "../support/server";

// The first minutes of a new owner: a look at the sample team, then an answer of a provider whose key stands in `.env`.
const test = base.extend<{ mock: LLMock; envFile: string }>({
  mock: async ({ playwright: _ }, use) => {
    const mock = await startAimock();
    await use(mock);
    await mock.stop();
  },
  envFile: async ({ playwright: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-env-"));
    await use(join(folder, ".env"));
    rmSync(folder, { recursive: true, force: true });
  },
  server: async ({ mock: _, envFile }, use) => {
    // As `npm start` sets them.
    const env = { ENV_FILE: envFile, ENV_FILE_VARIABLES: "" };
    const server = await startServer({ people: false, env });
    await use(server);
    await server.close();
  },
});

/** What a person presses, chooses or types, each counted once. */
class Interactions {
  count = 0;
  async press(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }
  async fill(target: Locator, text: string): Promise<void> {
    this.count += 1;
    await target.fill(text);
  }
  async choose(target: Locator, option: string): Promise<void> {
    this.count += 1;
    await target.selectOption(option);
  }
}

test("from the set-up to a useful answer in twelve interactions", async ({
  page,
  server,
  mock,
  envFile,
  open,
}) => {
  test.setTimeout(120_000);
  const link = new URL(/one-time link: (\S+)/.exec(server.output)?.[1] ?? "");
  await page.goto(link.pathname + link.search);
  await page.getByLabel("First name").fill("Grace");
  await page.getByLabel("Last name").fill("Hopper");
  await page.getByLabel("Email").fill("grace@example.org");
  await page.getByLabel(/^Password/).fill("nanoseconds in a wire");
  await page.getByRole("button", { name: "Create Account" }).click();

  const samples = page.getByText("Sample", { exact: true });
  await test.step("a sample team is looked at and removed", async () => {
    await page.getByRole("button", { name: "Add Sample Team" }).click();
    await page.getByRole("button", { name: /^Ask: / }).click();
    await expect(page.getByText(/five working days/).last()).toBeVisible();
    await open("/workflows/runs");
    await expect(page.getByRole("list", { name: "Runs" }).getByText("Waiting")).toBeVisible();
    await expect(samples).toHaveCount(5);
    await open("/?dialog=remove-samples");
    await expectAccessible(page);
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect(page.getByRole("button", { name: "Add Sample Team" })).toBeVisible();
    await open("/workflows");
    await expect(page.getByRole("heading", { level: 1, name: "Workflows" })).toBeVisible();
    await expect(samples).toHaveCount(0);
    await open("/");
  });

  const person = new Interactions();
  const dialog = page.getByRole("dialog", { name: "Add Provider" });
  await test.step("a provider without its key says which line is missing", async () => {
    await person.press(page.getByRole("link", { name: /Connect a model provider/ }));
    await expect(dialog.getByText("ANTHROPIC_API_KEY=")).toBeHidden();
    await person.press(dialog.getByRole("radio", { name: "Anthropic" }));
    await expect(dialog.getByText("ANTHROPIC_API_KEY=")).toBeVisible();
    await expect(dialog.getByText("No restart is needed.").filter({ visible: true })).toBeVisible();
    await expectAccessible(page);
  });
  // In an editor, while the console runs.
  writeFileSync(envFile, "QUARTERDECK_KEY_LAB=the-key-of-the-lab\n");
  await page.reload();

  await test.step("the key is found, tested and referenced", async () => {
    await person.press(dialog.getByRole("radio", { name: "Custom" }));
    await person.fill(dialog.getByLabel("Base URL"), `${mock.url}/v1`);
    await person.choose(dialog.getByLabel("API key"), "env:QUARTERDECK_KEY_LAB");
    await person.press(dialog.getByRole("button", { name: "Add Provider" }));
    await expect(page.getByText("Provider added", { exact: true })).toBeVisible();
    await expect(page.getByText("Active", { exact: true })).toBeVisible();
  });

  await test.step("it answers", async () => {
    await person.press(page.getByRole("link", { name: "AI Chat" }));
    await person.fill(page.getByPlaceholder("Ask AI anything..."), "greet me");
    await person.press(page.getByRole("button", { name: "Send" }));
    await expect(page.getByText("Hello from the other end.").last()).toBeVisible();
    expect(person.count).toBeLessThanOrEqual(12);
  });

  await open("/settings/keys");
  await expect(page.getByText("QUARTERDECK_KEY_LAB", { exact: true })).toBeVisible();
  await expect(page.getByText("Not set")).toHaveCount(0);
});
