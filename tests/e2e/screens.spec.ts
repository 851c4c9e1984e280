import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { OPEN_SCREENS, SCREENS } from "../support/screens";

/** How far the page is wider than the window, in CSS pixels. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test.describe("signed in", () => {
  test.use({ role: "owner" });

  for (const [path, heading] of SCREENS) {
    test(`${path} has its heading, and axe finds nothing in either theme`, async ({ page, open }) => {
      await open(path);
      await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeAttached();
      await expectAccessible(page);
    });
  }

  for (const width of [360, 768, 2560]) {
    test(`no screen is wider than a window of ${width} pixels`, async ({ page, open }) => {
      // All screens in one test: it takes longer with each of them.
      test.slow();
      await page.setViewportSize({ width, height: 800 });
      for (const [path] of SCREENS) {
        await open(path);
        expect([path, await overflow(page)]).toEqual([path, 0]);
      }
    });
  }
});

test.describe("signed out", () => {
  for (const [path, heading] of OPEN_SCREENS) {
    test(`${path} has its heading, and axe finds nothing in either theme`, async ({ page, open }) => {
      await open(path);
      await expect(page.getByRole("heading", { level: 1 })).toContainText(heading);
      await expectAccessible(page);
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await overflow(page)).toBe(0);
    });
  }

  test("a screen leads to the sign-in and back to itself", async ({ page, open }) => {
    await open("/personas?dialog=new");
    await expect(page).toHaveURL(/\/login\b/);
    await page.getByLabel("E-mail").fill("member@example.org");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/personas\?dialog=new$/);
  });
});
