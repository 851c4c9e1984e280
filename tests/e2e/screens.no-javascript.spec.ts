import { expectToFit, test } from "../support/fixtures";
import { SCREENS } from "../support/screens";

test.use({ role: "owner" });

// Nothing raises a dialog above the page without script: it is laid out with it.
test("each screen with an open dialog fits each window", async ({ page, open }) => {
  test.slow();
  for (const [path] of SCREENS.filter(([address]) => address.includes("dialog="))) {
    await test.step(path, async () => {
      await open(path);
      await expectToFit(page);
    });
  }
});
