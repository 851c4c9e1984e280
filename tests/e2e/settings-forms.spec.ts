import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { hold } from "../support/hold";
import { signInAgain } from "../support/sign-in-again";

test.use({ role: "admin", serverOf: "settings-forms" });

const unfold = (page: Page, section: string) => page.locator("summary", { hasText: section }).click();

test("a console is rebranded: font and custom CSS take effect", async ({ page, open }) => {
  await open("/settings/branding");
  await page.getByLabel("Font").selectOption("Poppins");
  await page.getByLabel("Text", { exact: true }).fill("#767676");
  await expect(page.getByText("Large text only")).toBeVisible();
  await page.getByLabel("Text", { exact: true }).fill("#ffffff");
  await page.getByLabel("Custom CSS").fill("h1 { letter-spacing: 3px }");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Branding settings saved")).toBeVisible();
  await expectAccessible(page);

  await open("/personas");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveCSS("letter-spacing", "3px");
  await expect(heading).toHaveCSS("font-family", /^Poppins/);
  await open("/personas?plain=1");
  await expect(heading).not.toHaveCSS("letter-spacing", "3px");
});

test.describe("unsaved settings", () => {
  test("ask before their page is left, and not once they are saved", async ({ page, open }) => {
    await open("/settings/advanced");
    const timeout = page.getByLabel("Timeout", { exact: true });
    const caching = page.getByRole("switch", { name: "Caching" });
    const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
    const profile = page.getByRole("link", { name: "Profile", exact: true }).last();
    const saved = await timeout.inputValue();
    const other = String(Number(saved) + 1);
    await unfold(page, "Performance");
    await caching.uncheck();
    await profile.click();
    await expect(question.getByRole("button", { name: "Keep Editing" })).toBeFocused();
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep Editing" }).click();
    await expect(caching).not.toBeChecked();
    await profile.click();
    await question.getByRole("button", { name: "Discard" }).click();
    await expect(page.getByLabel("First name")).toBeVisible();
    await page.goBack();
    await unfold(page, "Performance");
    await expect(caching).toBeChecked();

    await timeout.fill(other);
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await expect(page.getByText("Advanced settings saved")).toBeVisible();
    await profile.click();
    await expect(page.getByLabel("First name")).toBeVisible();
    await page.goBack();
    await expect(timeout).toHaveValue(other);
  });

  test("typed while a save is on its way stay, and can be saved next", async ({ page, open }) => {
    await open("/settings/advanced");
    const timeout = page.getByLabel("Timeout", { exact: true });
    const save = await hold(page, /\/settings\/advanced\.data/, "POST");
    await timeout.fill("23459");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await sent;
    await timeout.fill("23460");
    save.release();
    await expect(page.getByText("Advanced settings saved")).toBeVisible();
    await expect(timeout).toHaveValue("23460");
    const again = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    expect((await again).ok()).toBe(true);
    await expect(page.getByText("Failed to save")).toHaveCount(0);
    await expect(timeout).toHaveValue("23460");
  });

  test("survive the end of the session, and a closing tab asks", async ({ page, open, context }) => {
    await open("/settings/advanced");
    const timeout = page.getByLabel("Timeout", { exact: true });
    const caching = page.getByRole("switch", { name: "Caching" });
    const level = page.getByLabel("Log level");
    await unfold(page, "Performance");
    await unfold(page, "Monitoring");
    const other = await level.evaluate(
      (select: HTMLSelectElement) => [...select.options].find(({ selected }) => !selected)?.value ?? "",
    );
    await timeout.fill("34567");
    await caching.uncheck();
    await level.selectOption(other);
    await context.clearCookies();
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await expect(page).toHaveURL(/\/login\?returnTo=%2Fsettings%2Fadvanced/);
    await signInAgain(page, "admin");
    await expect(timeout).toHaveValue("34567");
    await expect(caching).not.toBeChecked();
    await expect(level).toHaveValue(other);
    const asked = page.waitForEvent("dialog");
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
  });
});

test("a field is shown while it is used", async ({ page, open }) => {
  await open("/settings/guardrails");
  const policy = page.getByLabel("Chat model's policy");
  const address = page.getByLabel("Moderation service");
  await expect(policy).toBeHidden();
  await page.getByLabel("Moderator").selectOption("Chat model");
  await expect(policy).toBeVisible();
  await expect(address).toBeHidden();
});
