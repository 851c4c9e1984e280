import { expectAccessible, expectToFit, test } from "../support/fixtures";
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

// Each has controls that script replaces: dialogs, selects, switches, tabs, menus and the composer.
test("axe finds nothing on the controls that show without script", async ({ page, open }) => {
  test.slow();
  for (const path of [
    "/personas?dialog=new",
    "/rag?dialog=ingest&tab=file",
    "/workflows/builder?template=nine-oclock-digest&view=list",
    "/settings/advanced",
    "/chat",
  ]) {
    await test.step(path, async () => {
      await open(path);
      await expectAccessible(page, { shell: path === "/chat" });
    });
  }
});
