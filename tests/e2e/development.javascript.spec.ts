import { test as base, expect } from "../support/fixtures";
import { startServer } from "../support/server";

// The server of `npm run dev`: Vite compiles what a page asks for.
const test = base.extend({
  server: [
    async ({ playwright: _ }, use) => {
      const server = await startServer({ fromSources: true });
      await use(server);
      // Its orderly stop waits for all that Vite has begun to compile.
      await server.kill();
      await server.close();
    },
    { scope: "test", timeout: 200_000 },
  ],
});

test.use({ role: "owner" });

// The browser's errors, such as HTML that isn't the server's, fail the test.
test("the sources answer, and the browser takes over their pages", async ({ page, open }) => {
  await open("/");
  await expect(page.getByRole("link", { name: "AI Chat", exact: true }).locator("svg")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox")).toBeFocused();
});
