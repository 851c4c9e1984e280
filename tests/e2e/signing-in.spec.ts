import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { people } from "../support/people";

// Sessions end here and tries are counted.
test.use({ serverOf: "signing-in" });

async function typeIn(page: Page, email: string, password: string) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
}

test("a wrong password is rejected, and the right one leads to the requested page", {
  tag: "@no-javascript",
}, async ({ page, server }) => {
  await page.goto(`${server.baseUrl}/audit`);
  await expect(page).toHaveURL(/\/login\?returnTo=%2Faudit/);
  await typeIn(page, people.member.email, "not the password");
  await expect(page.getByRole("alert")).toContainText("Incorrect email or password");
  await expect(page.getByLabel("Email")).toHaveValue(people.member.email);
  await expect(page.getByLabel(/^Password/)).toBeFocused();
  await expectAccessible(page);
  await page.getByLabel(/^Password/).fill(people.member.password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page).toHaveURL(`${server.baseUrl}/audit`);
  // Whoever is signed in needs no form.
  await page.goto(`${server.baseUrl}/login`);
  await expect(page).toHaveURL(`${server.baseUrl}/`);
});

test("a form sent after the session ended leads back to it", async ({ page, server, context }) => {
  await page.goto(`${server.baseUrl}/login?returnTo=${encodeURIComponent("/personas?dialog=new")}`);
  await typeIn(page, people.member.email, people.member.password);
  const form = page.getByRole("dialog", { name: "New Persona" });
  // The script keeps what was typed; a form sent before it has loaded is one without script.
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  await form.getByLabel("System prompt").fill("Name your sources.");
  await context.clearCookies();
  await form.getByRole("button", { name: "Create Persona" }).click();
  await expect(page).toHaveURL(/\/login\?returnTo=%2Fpersonas%3Fdialog%3Dnew$/);
  await typeIn(page, people.member.email, people.member.password);
  await expect(page).toHaveURL(`${server.baseUrl}/personas?dialog=new`);
  await expect(form.getByLabel("System prompt")).toHaveValue("Name your sources.");
  await context.clearCookies();
  await form.getByRole("button", { name: "Create Persona" }).click();
  await typeIn(page, people.admin.email, people.admin.password);
  await expect(page).toHaveURL(`${server.baseUrl}/personas?dialog=new`);
  await expect(form.getByLabel("System prompt")).toHaveValue("");
});

test("signing out everywhere also ends the other browser's session, and its open page says so", async ({
  page,
  browser,
  contextOptions,
  server,
}) => {
  const other = await (await browser.newContext(contextOptions)).newPage();
  for (const somewhere of [page, other]) {
    await somewhere.goto(`${server.baseUrl}/login?returnTo=/settings/profile`);
    await typeIn(somewhere, people.viewer.email, people.viewer.password);
    await expect(somewhere.getByText("This browser")).toBeVisible();
  }
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign Out Everywhere" }).click();
  await expect(page.getByRole("link", { name: "Get Started" }).first()).toBeVisible();
  await expect(other.getByText("You are signed out")).toBeVisible();
  await other.context().close();
});

test("after signing out, Back shows the sign-in, and another tab keeps what was typed", async ({
  page,
  context,
  server,
}) => {
  await page.goto(`${server.baseUrl}/login?returnTo=/settings/profile`);
  await typeIn(page, people.admin.email, people.admin.password);
  await expect(page.getByText("This browser")).toBeVisible();
  const other = await context.newPage();
  await other.goto(`${server.baseUrl}/chat`);
  await other.locator("html[data-scripted]").waitFor({ state: "attached" });
  const message = other.getByRole("textbox", { name: "Message" });
  await message.fill("Half a thought");
  await page.locator("aside summary").click();
  await page.getByRole("button", { name: "Sign Out", exact: true }).click();
  await expect(page.getByRole("link", { name: "Get Started" }).first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByText(people.admin.email)).toHaveCount(0);

  await message.press("Enter");
  await expect(other.getByText("You are signed out").first()).toBeVisible();
  await expect(message).toHaveValue("Half a thought");
  await other.getByRole("link", { name: "Sign In" }).first().click();
  await typeIn(other, people.admin.email, people.admin.password);
  await expect(message).toHaveValue("Half a thought");
  await other.close();
});
