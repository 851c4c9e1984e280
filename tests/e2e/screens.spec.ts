import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

/** Every screen with its heading, open dialogs included. */
const SIGNED_IN: [path: string, heading: string][] = [
  ["/", "Dashboard"],
  ["/chat", "AI Chat"],
  ["/workflows", "Workflows"],
  ["/extensions", "Plugin Marketplace"],
  ["/personas", "Personas"],
  ["/personas?dialog=new", "Personas"],
  ["/rag", "RAG & Memory"],
  ["/audit", "Audit Log"],
  ["/search", "Search"],
  ["/settings", "Settings"],
  ["/settings?tab=providers", "Settings"],
  ["/settings?tab=providers&dialog=add", "Settings"],
  ["/settings?tab=advanced", "Settings"],
  ["/settings?tab=profile", "Settings"],
  ["/settings?tab=environment", "Settings"],
  ["/settings?tab=keys", "Settings"],
  ["/settings?tab=keys&dialog=add", "Settings"],
  ["/settings?tab=members", "Settings"],
  ["/settings?tab=system", "Settings"],
  ["/nothing", "404 Page Not Found"],
];

/** How far the page is wider than the window, in CSS pixels. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test.describe("signed in", () => {
  test.use({ role: "owner" });

  for (const [path, heading] of SIGNED_IN) {
    test(`${path} has its heading, and axe finds nothing in either theme`, async ({ page, open }) => {
      await open(path);
      await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeAttached();
      await expectAccessible(page);
    });
  }

  for (const width of [360, 768, 2560]) {
    test(`no screen is wider than a window of ${width} pixels`, async ({ page, open }) => {
      await page.setViewportSize({ width, height: 800 });
      for (const [path] of SIGNED_IN) {
        await open(path);
        expect([path, await overflow(page)]).toEqual([path, 0]);
      }
    });
  }
});

test.describe("signed out", () => {
  for (const [path, heading] of [
    ["/", "Quarterdeck"],
    ["/login?local=1", "Sign in"],
    ["/nothing", "404 Page Not Found"],
  ] as const) {
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
    await page.getByLabel("Email").fill("member@example.org");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/personas\?dialog=new$/);
  });
});
