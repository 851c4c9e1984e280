import type { LLMock } from "@copilotkit/aimock";
import { startAimock } from "../support/aimock";
import { test as base, expect, expectAccessible, openSettings } from "../support/fixtures";
import { startServer } from "../support/server";

// The path of a new user, as the README has it, on a server without anybody.
const test = base.extend<{ mock: LLMock }>({
  mock: async ({ playwright: _ }, use) => {
    const mock = await startAimock();
    await use(mock);
    await mock.stop();
  },
  // Ends before the mock, which waits for the answers that are still read.
  server: async ({ mock: _ }, use) => {
    const server = await startServer({ people: false });
    await use(server);
    await server.close();
  },
});

test("from the setup link to a conversation that survives a crash", { tag: "@no-javascript" }, async ({
  page,
  server,
  mock,
  open,
  javaScriptEnabled,
}) => {
  test.setTimeout(120_000);
  // The page that streams without script holds the text a second time, hidden at the end.
  const said = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).last();
  const send = async (text: string) => {
    await page.getByPlaceholder("Ask AI anything...").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  await test.step("the setup link makes the owner, once", async () => {
    const link = new URL(/one-time link: (\S+)/.exec(server.output)?.[1] ?? "");
    await page.goto("/");
    await page.getByRole("link", { name: "Get Started" }).first().click();
    await expect(page.getByText("Create the owner's account to begin.")).toBeVisible();
    await page.goto(link.pathname + link.search);
    await expectAccessible(page);
    await page.getByLabel("First name").fill("Grace");
    await page.getByLabel("Last name").fill("Hopper");
    await page.getByLabel("Email").fill("grace@example.org");
    await page.getByLabel(/^Password/).fill("too short");
    await page.getByRole("button", { name: "Create Account" }).click();
    await expect(page.getByText("Use at least 12 characters")).toBeVisible();
    await expect(page.getByLabel(/^Password/)).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel(/^Password/)).toBeFocused();
    await expect(page.getByLabel("Email")).toHaveValue("grace@example.org");
    if (javaScriptEnabled !== false) {
      await page.getByRole("button", { name: "Show password" }).click();
      await expect(page.getByLabel(/^Password/)).toHaveAttribute("type", "text");
    }
    await page.getByLabel(/^Password/).fill("nanoseconds in a wire");
    await page.getByRole("button", { name: "Create Account" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeAttached();
    expect((await page.goto(link.pathname + link.search))?.status()).toBe(410);
    await expect(page.getByText("Setup is complete")).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("the built-in model answers and calls a tool, without any key", async () => {
    await open("/chat");
    await openSettings(page);
    await page.getByRole("checkbox", { name: /kv\.set/ }).check();
    await send("kv.set greeting hello");
    await expect(said("kv.set")).toBeVisible();
    await expect(said(/Result from kv\.set/)).toBeVisible();
  });

  await test.step("the dashboard's checklist ticks what was done", async () => {
    await open("/");
    const steps = page.locator("section").filter({ has: page.getByRole("heading", { name: "Get started" }) });
    await expect(steps.getByRole("listitem").nth(1)).toHaveText(/Ask a question.*\(done\)/);
    await expect(steps.getByRole("link")).toHaveCount(4);
    await steps.getByRole("button", { name: "Hide this checklist" }).click();
    await expect(steps).toBeHidden();
  });

  await test.step("a provider of one's own", async () => {
    await open("/settings/providers?dialog=add-provider");
    await page.getByRole("radio", { name: "Custom" }).check();
    await page.getByLabel("Display name").fill("Team server");
    await page.getByLabel("Base URL").fill(`${mock.url}/v1`);
    await page.getByText("More options").click();
    await page.getByLabel("Additional models").fill("gpt-4o");
    await page.getByRole("button", { name: "Add Provider" }).click();
    await expect(page.getByTitle("Team server", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Test Connection" }).click();
    await expect(page.getByText(/\(\d+ ms\)/)).toBeVisible();
  });

  await test.step("answers", async () => {
    await open("/chat");
    await openSettings(page);
    await page.getByLabel("Model", { exact: true }).last().selectOption("gpt-4o");
    await send("greet me");
    await expect(said("Hello from the other end.")).toBeVisible();
    // The model of a conversation stays the one it was asked with.
    await expect(page).toHaveURL(/\/chat\/\w+/);
  });

  // What is stored is the same without script.
  if (javaScriptEnabled !== false)
    await test.step("the process is killed in the middle of an answer, and everything received is there", async () => {
      const address = page.url().replace(/\/live$/, "");
      await open(new URL(address).pathname);
      await send("a long answer, please");
      await expect(said(/word20\b/)).toBeVisible();
      await server.kill();
      await server.start();
      await open(new URL(address).pathname);
      await expect(said("Hello from the other end.")).toBeVisible();
      // The last 50 ms may not be stored yet; the ten words before are.
      await expect(said(/word10\b/)).toBeVisible();
      await expect(page.getByText(/^Interrupted by a server/)).toBeVisible();
      await page.getByRole("button", { name: "Regenerate" }).last().click();
      await expect(page.getByText(/^Interrupted by a server/)).toHaveCount(0);
      await expect(said(/word10\b/)).toBeVisible();
    });
});
