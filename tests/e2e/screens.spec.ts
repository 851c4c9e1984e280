import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { OPEN_SCREENS, SCREENS } from "../support/screens";

/** Expects that the page is no wider than a phone's window, a tablet's or a large screen's. */
async function expectToFit(page: Page): Promise<void> {
  for (const width of [360, 768, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([width, beyond]).toEqual([width, 0]);
  }
}

test.describe("signed in", () => {
  test.use({ role: "owner" });

  for (const [path, heading] of SCREENS) {
    test(`${path} has its heading, fits each window, and axe finds nothing in either theme`, async ({
      page,
      open,
    }) => {
      await open(path);
      await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeAttached();
      await expectAccessible(page);
      await expectToFit(page);
    });
  }
});

test.describe("signed out", () => {
  for (const [path, heading] of OPEN_SCREENS) {
    test(`${path} has its heading, fits each window, and axe finds nothing in either theme`, async ({
      page,
      open,
    }) => {
      await open(path);
      await expect(page.getByRole("heading", { level: 1 })).toContainText(heading);
      await expectAccessible(page);
      await expectToFit(page);
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
