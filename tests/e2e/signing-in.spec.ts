import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { people } from "../support/people";

// Sessions end here and tries are counted.
test.use({ serverOf: "signing-in" });

const PASSWORD = "a fine long password";

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
  await other.getByRole("link", { name: "Sign In" }).click();
  await expect(other).toHaveURL(/\/login/);
  await typeIn(other, people.viewer.email, people.viewer.password);
  await expect(other).toHaveURL(/\/settings\/profile/);
  await expect(other.getByText("You are signed out")).toHaveCount(0);
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

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("invites someone, who sets a password and signs in", { tag: "@no-javascript" }, async ({
    page,
    browser,
    contextOptions,
    server,
    open,
    javaScriptEnabled,
  }) => {
    const email = `invited-${Date.now()}@example.org`;
    await open("/settings/members");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Add Member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create Link" }).click();
    await expect(dialog.getByText("Enter an email address")).toBeVisible();
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByRole("button", { name: "Create Link" }).click();
    await expect(dialog.getByText("Copy this link now. It won't be shown again.")).toBeVisible();
    const link = await dialog.getByLabel("Link", { exact: true }).inputValue();

    const guest = await (await browser.newContext(contextOptions)).newPage();
    await guest.goto(link);
    await expect(guest.getByLabel("Email")).toHaveValue(email);
    await expectAccessible(guest);
    await guest.getByLabel("First name").fill("Gus");
    await guest.getByLabel(/^Password/).fill(PASSWORD);
    await guest.getByRole("button", { name: "Join" }).click();
    await expect(guest.locator("aside").getByText("Gus", { exact: true })).toBeVisible();

    // A removal shows at once.
    await page.goto(`${server.baseUrl}/settings/members`);
    await page.getByLabel("More actions for Gus").click();
    await page.getByRole("link", { name: "Remove Gus" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await expect(page.getByText("Member removed")).toBeVisible();
    if (javaScriptEnabled !== false) await expect(guest.getByText("You are signed out")).toBeVisible();
    await guest.goto(`${server.baseUrl}/audit`);
    await expect(guest).toHaveURL(/\/login/);
    await guest.context().close();
  });
});

test.describe("a member", () => {
  test.use({ role: "member" });

  test("an API token is shown once, works, and is revoked", async ({ page, server, open }) => {
    const name = `Build server ${Date.now()}`;
    await open("/settings/profile");
    await page.getByRole("link", { name: "New Token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Create Token" }).click();
    await expect(dialog.getByText("Select at least one permission")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByLabel("Edit personas").check();
    await dialog.getByLabel("Call models through the gateway").check();
    await dialog.getByLabel("Models", { exact: true }).fill("gpt-4o\nclaude-sonnet-4");
    await dialog.getByLabel("Requests per minute").fill("0");
    await dialog.getByRole("button", { name: "Create Token" }).click();
    await expect(dialog.getByText("Use at least 1")).toBeVisible();
    await expect(dialog.getByLabel("Models", { exact: true })).toHaveValue("gpt-4o\nclaude-sonnet-4");
    await expect(dialog.getByLabel("Call models through the gateway")).toBeChecked();
    await dialog.getByLabel("Requests per minute").fill("60");
    await dialog.getByRole("button", { name: "Create Token" }).click();
    await expect(dialog.getByText(`${server.baseUrl}/v1`, { exact: true })).toBeVisible();
    await expectAccessible(page);
    const token = await dialog.getByLabel("Token", { exact: true }).inputValue();
    expect((await server.ask("/api/auth/user", { token })).status).toBe(200);
    expect((await server.ask("/api/ai/chat", { token, json: { messages: [] } })).status).toBe(403);

    await dialog.getByRole("link", { name: "Done" }).click();
    const row = page.getByRole("listitem").filter({ hasText: name });
    await expect(row.getByText("gpt-4o, claude-sonnet-4 · 60 requests per minute")).toBeVisible();
    await page.getByRole("link", { name: `Revoke ${name}` }).click();
    await page.getByRole("button", { name: "Revoke" }).click();
    await expect(page.getByText("Token revoked")).toBeVisible();
    expect((await server.ask("/api/auth/user", { token })).status).toBe(401);
  });
});
