import type { Page } from "@playwright/test";
import { CookieClient } from "../support/cookie-client";
import { test as base, expect, expectAccessible } from "../support/fixtures";
import { startProvider, type TestProvider } from "../support/oidc";
import { startServer, type TestServer } from "../support/server";

let provider: TestProvider;
let server: Promise<TestServer> | undefined;

async function start(): Promise<TestServer> {
  provider = await startProvider([
    { sub: "founder", email: "founder@example.org", email_verified: true, given_name: "Fay" },
    { sub: "first", email: "ann@elsewhere.test", given_name: "Ann" },
    { sub: "second", email: "bob@elsewhere.test", given_name: "Bob" },
  ]);
  const started = await startServer({ people: false, env: provider.env });
  provider.register(started.baseUrl);
  return started;
}

const test = base.extend({
  server: async ({ playwright: _ }, use) => {
    server ??= start();
    await use(await server);
  },
});
// The provider's pages are another host's, and its fonts a third one's.
test.use({ expected: /^a request to / });
test.describe.configure({ mode: "serial" });

test.afterAll(async () => {
  await (await server)?.close();
  await provider?.close();
});

/** The provider's own pages: its login, and its consent when it asks for it. */
async function passProvider(page: Page, login: string) {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  const consent = page.getByRole("button", { name: "Continue" });
  const back = page.locator("html[data-theme]");
  await expect(consent.or(back).first()).toBeVisible();
  if (page.url().startsWith(provider.issuer)) await consent.click();
}

const inShell = (page: Page, name: string) => page.locator("aside").getByText(name, { exact: true });

test("the person who opens the setup link becomes the owner with their identity", async ({
  page,
  server,
}) => {
  const path = /\/setup\?token=[\w-]+/.exec(server.output)?.[0] ?? "";
  await page.goto(server.baseUrl + path);
  await page.getByRole("link", { name: "Continue with" }).click();
  await passProvider(page, "founder");
  await expect(inShell(page, "Fay")).toBeVisible();
  expect(new URL(page.url()).origin).toBe(server.baseUrl);
});

test("a role chosen for someone who is declined doesn't pass to the next request", async ({
  browser,
  contextOptions,
  server,
}) => {
  for (const login of ["first", "second"]) {
    const client = new CookieClient();
    const reached = await client.passProvider(await client.open(`${server.baseUrl}/audit`), login);
    expect(reached.url.pathname).toBe("/waiting");
  }
  const owner = await (await browser.newContext(contextOptions)).newPage();
  await owner.goto(`${server.baseUrl}/settings/members`);
  await passProvider(owner, "founder");
  const roleOf = (name: string) => owner.getByLabel(`Role of ${name}`);
  const [declined, left] =
    (await owner
      .getByLabel(/^Role of/)
      .first()
      .getAttribute("aria-label")) === "Role of Ann"
      ? ["Ann", "Bob"]
      : ["Bob", "Ann"];
  await owner.locator("html[data-scripted]").waitFor({ state: "attached" });
  await expectAccessible(owner);
  await roleOf(declined).selectOption("admin");
  await owner.getByRole("button", { name: `Decline ${declined}` }).click();
  await expect(roleOf(declined)).toHaveCount(0);
  await expect(roleOf(left)).toHaveValue("viewer");
  await owner.getByRole("button", { name: `Decline ${left}` }).click();
  await owner.context().close();
});

test("what was typed in a dialog outlasts the session and the provider's pages", async ({
  page,
  server,
  context,
}) => {
  await page.goto(`${server.baseUrl}/personas?dialog=new`);
  await passProvider(page, "founder");
  const prompt = page.getByRole("dialog", { name: "New Persona" }).getByLabel("System prompt");
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  await prompt.fill("Half of a prompt");
  await context.clearCookies();
  page.on("dialog", (question) => question.accept());
  await page.reload();
  await passProvider(page, "founder");
  await expect(prompt).toHaveValue("Half of a prompt");
});

test("signing out also ends the provider's session", async ({ page, server }) => {
  await page.goto(`${server.baseUrl}/audit`);
  await passProvider(page, "founder");
  await expect(page).toHaveURL(`${server.baseUrl}/audit`);
  await inShell(page, "Fay").click();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await expect(page.getByRole("link", { name: "Get Started" }).first()).toBeVisible();
  await page.goto(`${server.baseUrl}/audit`);
  await expect(page.getByPlaceholder("Enter any login")).toBeVisible();
});
