import { expect, expectAccessible, expectToFit, IS_FULL, test } from "../support/fixtures";
import { addScreenData } from "../support/screen-data";
import { OPEN_SCREENS, SCREENS, SHORT_SCREENS } from "../support/screens";

/** Screens that a test walks one after the other: with what is loaded already, each takes a third of the time. */
const AT_ONCE = 6;
const walks = (screens: typeof SCREENS) =>
  Array.from({ length: Math.ceil(screens.length / AT_ONCE) }, (_, n) =>
    screens.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
  );

// Many walks on everybody's server: each worker takes the next.
test.describe.configure({ mode: "parallel" });

if (IS_FULL) {
  test.use({ serverOf: "screens" });
  test.beforeEach(({ server }) => addScreenData(server));
}

for (const [who, role, screens] of [
  ["signed in", "owner", IS_FULL ? SCREENS : SHORT_SCREENS],
  // Half of the time of all screens signed out is the API's description; the form is in workflow-forms.spec.ts.
  [
    "signed out",
    undefined,
    IS_FULL ? OPEN_SCREENS : OPEN_SCREENS.filter(([path]) => !/^\/(?:docs\/api|form|w)\b/.test(path)),
  ],
] as const) {
  test.describe(who, () => {
    test.use({ role });
    for (const walk of walks(screens)) {
      const [[first = ""] = []] = walk;
      test(`${first} and what follows have their heading, fit the window, and axe finds nothing`, {
        tag: IS_FULL ? "@no-javascript" : [],
      }, async ({ page, open, javaScriptEnabled }) => {
        test.slow();
        for (const [path, heading] of walk) {
          await test.step(path, async () => {
            await page.setViewportSize({ width: 1440, height: 900 });
            await open(path);
            await expect(page.getByRole("heading", { level: 1 }).first()).toContainText(heading);
            if (path.includes("dialog=")) {
              const dialog = page.locator("dialog[open]");
              await expect(dialog).toBeVisible();
              if (javaScriptEnabled !== false) await expect(dialog.locator(":focus")).toHaveCount(1);
            }
            await expectAccessible(page, { shell: IS_FULL || path === first });
            await expectToFit(page);
          });
        }
      });
    }
  });
}
