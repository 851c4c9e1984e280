import { expect, expectAccessible, test } from "../support/fixtures";
import { hold } from "../support/hold";
import { typedText } from "../support/sign-in-again";

test.use({ role: "admin", serverOf: "settings-forms" });

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
  test("survive a reload and a visit to another tab, and can be discarded or saved", async ({
    page,
    open,
  }) => {
    await open("/settings/advanced");
    const timeout = page.getByLabel("Timeout", { exact: true });
    const caching = page.getByRole("switch", { name: "Caching" });
    const level = page.getByLabel("Log level");
    const [saved, savedLevel] = [await timeout.inputValue(), await level.inputValue()];
    const other = await level.evaluate(
      (select: HTMLSelectElement) => [...select.options].find(({ selected }) => !selected)?.value ?? "",
    );
    const restored = page.getByText("Unsaved changes restored");
    const expectTyped = async () => {
      await expect(restored).toBeVisible();
      await expect(timeout).toHaveValue("23456");
      await expect(caching).not.toBeChecked();
      await expect(level).toHaveValue(other);
    };
    const type = async () => {
      await timeout.fill("23456");
      await caching.uncheck();
      await level.selectOption(other);
      await page.reload();
      await expectTyped();
    };
    await type();
    await page.getByRole("link", { name: "Profile", exact: true }).last().click();
    await expect(page.getByLabel("First name")).toBeVisible();
    await expect(restored).toHaveCount(0);
    await page.goBack();
    await expectTyped();

    await page.getByRole("button", { name: "Discard" }).click();
    await expect(restored).toHaveCount(0);
    await page.reload();
    await page.locator("html[data-scripted]").waitFor({ state: "attached" });
    await expect(timeout).toHaveValue(saved);
    await expect(caching).toBeChecked();
    await expect(level).toHaveValue(savedLevel);

    await type();
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await expect(page.getByText("Advanced settings saved")).toBeVisible();
    await expect(restored).toHaveCount(0);
    await expect.poll(() => typedText(page)).toEqual([]);
  });

  test("include radio buttons", async ({ page, open }) => {
    await open("/settings/providers");
    const priority = page.getByRole("radio", { name: "Priority" });
    const cheapest = page.getByRole("radio", { name: "Cheapest" });
    await expect(priority).toBeChecked();
    await cheapest.check();
    await page.reload();
    await expect(page.getByText("Unsaved changes restored")).toBeVisible();
    await expect(cheapest).toBeChecked();
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(priority).toBeChecked();
    await expect.poll(() => typedText(page)).toEqual([]);
  });

  test("include a select whose page marks no option as selected", async ({ page, open }) => {
    await page.route("**/settings/advanced", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/<option selected=""/g, "<option");
      await route.fulfill({ response, body });
    });
    await open("/settings/advanced");
    const level = page.getByLabel("Log level");
    const first = await level.inputValue();
    const other = await level.evaluate((select: HTMLSelectElement) => select.options[1]?.value ?? "");
    expect(other).not.toBe(first);
    await level.selectOption(other);
    await page.reload();
    await expect(page.getByText("Unsaved changes restored")).toBeVisible();
    await expect(level).toHaveValue(other);
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(level).toHaveValue(first);
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
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await expect.poll(() => typedText(page)).toEqual([]);
    await expect(timeout).toHaveValue("23460");
  });

  test("survive a refusal, and never replace a newer saved value", async ({ page, open, server }) => {
    await open("/settings/branding");
    const name = page.getByLabel("App name");
    const css = page.getByLabel("Custom CSS");
    await name.fill("Bridge of the fleet");
    await css.fill("h1 { background: url(x) }");
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expect(page.getByText("Failed to save branding settings")).toBeVisible();
    await page.reload();
    await expect(page.getByText("Unsaved changes restored")).toBeVisible();
    await expect(css).toHaveValue("h1 { background: url(x) }");
    await expect(name).toHaveValue("Bridge of the fleet");

    const json = { appName: "Named elsewhere" };
    const put = await server.ask("/api/branding", { as: "owner", method: "PUT", json });
    expect(put.status).toBe(200);
    await page.reload();
    await expect(page.getByText("Unsaved changes restored")).toBeVisible();
    await expect(css).toHaveValue("h1 { background: url(x) }");
    await expect(name).toHaveValue("Named elsewhere");
    await page.getByRole("button", { name: "Discard" }).click();
    const reset = { as: "owner", method: "PUT", json: { appName: "Quarterdeck" } } as const;
    expect((await server.ask("/api/branding", reset)).status).toBe(200);
  });

  test("survive the end of the session, for the same person only, and a closing tab asks", async ({
    page,
    open,
    server,
    context,
  }) => {
    const signInAs = async (role: "admin" | "owner") => {
      const [cookie = "", value = ""] = server.cookieOf(role).split("=");
      await context.addCookies([
        { name: cookie, value, url: server.baseUrl, httpOnly: true, sameSite: "Lax" },
      ]);
    };
    await open("/settings/advanced");
    const timeout = page.getByLabel("Timeout", { exact: true });
    const saved = await timeout.inputValue();
    await timeout.fill("34567");
    await context.clearCookies();
    await page.getByRole("button", { name: "Save Advanced Settings" }).click();
    await expect(page).toHaveURL(/\/login\?returnTo=%2Fsettings%2Fadvanced/);
    await signInAs("owner");
    await open("/settings/advanced");
    await expect(timeout).toHaveValue(saved);
    await signInAs("admin");
    await open("/settings/advanced");
    await expect(page.getByText("Unsaved changes restored")).toBeVisible();
    await expect(timeout).toHaveValue("34567");
    const asked = page.waitForEvent("dialog");
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
  });
});
