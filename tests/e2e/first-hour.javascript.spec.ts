import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LLMock } from "@copilotkit/aimock";
import { startAimock } from "../support/aimock";
import { test as base, expect, expectAccessible } from "../support/fixtures";
import { Interactions } from "../support/interactions";
import { startServer } from "../support/server";

// The first hour of a new owner: a look at the sample team and at what it cites, an answer of a provider whose key stands in
// `.env`, and a workflow of one's own whose first run fails. Pictures of each stop stay with the results.
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

test("from the set-up to a useful answer in 12 interactions, and to a first own workflow in 25", async ({
  page,
  server,
  mock,
  envFile,
  open,
}) => {
  test.setTimeout(120_000);
  const person = new Interactions(page);
  const link = new URL(/one-time link: (\S+)/.exec(server.output)?.[1] ?? "");
  await page.goto(link.pathname + link.search);
  await page.getByLabel("First name").fill("Grace");
  await page.getByLabel("Last name").fill("Hopper");
  await page.getByLabel("Email").fill("grace@example.org");
  await page.getByLabel(/^Password/).fill("nanoseconds in a wire");
  await page.getByRole("button", { name: "Create Account" }).click();

  await expect(page.getByRole("button", { name: "Add Sample Team" })).toBeVisible();
  await person.picture("1 dashboard");
  const samples = page.getByText("Sample", { exact: true });
  await test.step("a sample team is looked at and removed", async () => {
    await page.getByRole("button", { name: "Add Sample Team" }).click();
    await page.getByRole("button", { name: /^Ask: / }).click();
    await expect(page.getByText(/five working days/).last()).toBeVisible();
    const answer = page.getByRole("article", { name: "Assistant" });
    await answer
      .getByRole("link", { name: /^Source 1/ })
      .first()
      .click();
    const source = page.getByRole("complementary", { name: /^Source 1/ });
    await expect(source.locator("mark").first()).toBeInViewport();
    await person.picture("2 a citation followed");
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
    await person.picture("3 a useful answer");
  });

  const workflows = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Workflows" });
  const components = page.getByRole("region", { name: "Components" });
  const part = (label: string) => components.getByRole("button", { name: label, exact: true });
  const form = (name: string) => page.getByRole("region", { name, exact: true });
  const run = page.getByRole("region", { name: "Run" });
  await test.step("a workflow from nothing by mouse, whose failed run is retried", async () => {
    person.count = 0;
    const question = "Sum up the week";
    mock.onMessage(question, { error: { message: "The week is too long" }, status: 400 });
    await person.press(workflows);
    await person.press(page.getByRole("link", { name: "Visual Builder" }));
    await person.fill(page.getByLabel("Workflow name"), "Weekly digest");
    await person.press(part("Manual Trigger"));
    await person.press(part("AI Chat"));
    await person.fill(form("AI Chat").getByLabel("Prompt", { exact: true }), question);
    await person.press(form("AI Chat").getByRole("button", { name: /^Close/ }));
    await person.press(part("Log Output"));
    await person.fill(
      form("Log Output").getByLabel("Message", { exact: true }),
      "{{ steps.ai_completion_1.text }}",
    );
    await person.press(page.getByRole("button", { name: "Run", exact: true }));
    await expect(run.getByRole("status")).toBeVisible();
    await person.picture("4 a run on the canvas");
    await person.press(run.getByRole("link", { name: "Open Run" }));
    await expect(page.getByText("The run failed")).toBeVisible();
    await person.picture("5 a failed run");
    mock.prependFixture({
      match: { userMessage: question },
      response: { content: "A quiet week in the harbor." },
    });
    await person.press(page.getByRole("button", { name: "Retry from Failed Step" }));
    await expect(async () => {
      await page.reload();
      await expect(page.locator("main header").getByText("Succeeded")).toBeVisible({ timeout: 3000 });
    }).toPass();
    expect(person.count).toBeLessThanOrEqual(25);
    await person.picture("6 retried");
  });

  await test.step("a workflow from nothing by keyboard", async () => {
    person.count = 0;
    await person.key("Enter", workflows);
    await person.key("Enter", page.getByRole("link", { name: "Visual Builder" }));
    await person.key("ControlOrMeta+a", page.getByLabel("Workflow name"));
    await person.type("By keyboard");
    const search = page.getByLabel("Search components");
    await person.key("ControlOrMeta+a", search);
    await person.type("manual");
    await person.key("Enter");
    await expect(form("Manual Trigger")).toBeVisible();
    await person.key("ControlOrMeta+a", search);
    await person.type("log output");
    await person.key("Enter");
    await person.key("End", form("Log Output").getByLabel("Message", { exact: true }));
    await person.type("Hello");
    await person.key("Enter", page.getByRole("button", { name: "Run", exact: true }));
    await expect(run.getByRole("status")).toBeVisible();
    expect(person.count).toBeLessThanOrEqual(25);
    await person.picture("7 built by keyboard");
  });

  await open("/settings/keys");
  await expect(page.getByText("QUARTERDECK_KEY_LAB", { exact: true })).toBeVisible();
  await expect(page.getByText("Not set")).toHaveCount(0);
});
