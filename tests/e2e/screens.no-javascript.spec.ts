import { expectAccessible, expectToFit, IS_FULL, test } from "../support/fixtures";
import { addScreenData } from "../support/screen-data";
import { SCREENS, SHORT_SCREENS } from "../support/screens";

test.use({ role: "owner" });
if (IS_FULL) {
  test.use({ serverOf: "screens" });
  test.beforeEach(({ server }) => addScreenData(server));
}

// Nothing raises a dialog above the page without script: it is laid out with it.
test("screens with an open dialog fit the window", async ({ page, open }) => {
  test.slow();
  for (const [path] of (IS_FULL ? SCREENS : SHORT_SCREENS).filter(([address]) =>
    address.includes("dialog="),
  )) {
    await test.step(path, async () => {
      await open(path);
      await expectToFit(page);
    });
  }
});

/** Each has controls that script replaces: dialogs, selects, switches, tabs, menus and the composer. */
const CONTROLS = [
  "/personas?dialog=new",
  "/rag?dialog=ingest&tab=file",
  "/workflows/builder?template=nine-oclock-digest&view=list",
  "/settings/advanced",
  "/chat",
];

test("axe finds nothing on the controls that show without script", async ({ page, open }) => {
  test.slow();
  for (const path of IS_FULL ? CONTROLS : ["/chat"]) {
    await test.step(path, async () => {
      await open(path);
      await expectAccessible(page, { shell: path === "/chat" });
    });
  }
});
