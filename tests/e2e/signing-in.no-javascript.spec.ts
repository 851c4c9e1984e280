import { expect, expectAccessible, test } from "../support/fixtures";

test("the card shows who is signed in, and signs out", async ({ page, server, context }) => {
  // Signing out ends the session, so it is one of this test's own.
  const [name = "", value = ""] = (await server.signIn("viewer@example.org", "correct horse battery")).split(
    "=",
  );
  await context.addCookies([{ name, value, url: server.baseUrl, httpOnly: true, sameSite: "Lax" }]);
  await page.goto("/");
  const card = page.locator("aside").getByText("Viewer Tester");
  await expect(card).toBeVisible();
  await card.click();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await expect(page.getByRole("link", { name: "Get Started" })).toBeVisible();
  expect((await server.ask("/api/auth/user", { headers: { cookie: `${name}=${value}` } })).status).toBe(401);
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("invites someone, who sets a password and signs in", async ({
    page,
    browser,
    contextOptions,
    server,
    open,
  }) => {
    const email = "invited@example.org";
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
    await guest.getByLabel(/^Password/).fill("a fine long password");
    await guest.getByRole("button", { name: "Join" }).click();
    await expect(guest.locator("aside").getByText("Gus", { exact: true })).toBeVisible();

    await page.goto(`${server.baseUrl}/settings/members`);
    await page.getByLabel("More actions for Gus").click();
    await page.getByRole("link", { name: "Remove Gus" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await expect(page.getByText("Member removed")).toBeVisible();
    await guest.goto(`${server.baseUrl}/audit`);
    await expect(guest).toHaveURL(/\/login/);
    await guest.context().close();
  });
});
