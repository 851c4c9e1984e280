import { addConversation } from "../support/conversations";
import { expect, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";

test.describe("the shell", () => {
  test.use({ role: "owner" });

  test("on a phone, names the page in the bar and the team in the drawer", async ({ page, open }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/rag");
    const bar = page.getByRole("banner");
    await expect(bar.getByText("RAG & Memory").filter({ visible: true })).toHaveCount(1);
    const subtitle = bar.getByText("AI/AGI Controller").filter({ visible: true });
    await expect(subtitle).toHaveCount(0);
    await bar.getByLabel("Navigation").click();
    await expect(subtitle).toHaveCount(1);
    await expect(bar.getByRole("link", { name: "Audit", exact: true })).toBeVisible();
  });

  test("keeps the selected theme", async ({ page, open }) => {
    await open("/personas");
    const choose = async (theme: string) => {
      await page.locator("aside").getByText("Owner Tester").click();
      await page.getByRole("button", { name: theme }).click();
    };
    await choose("Light");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await choose("Dark");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  });

  test("shows the navigation in a drawer on a phone", { tag: "@no-javascript" }, async ({ page, open }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await open("/");
    const drawer = page.getByRole("navigation", { name: "Main" });
    await expect(drawer).toBeHidden();
    await page.locator("summary[aria-label=Navigation]").click();
    await drawer.getByRole("link", { name: "Personas" }).click();
    await expect(page).toHaveURL(/\/personas$/);
  });
});

test.describe("the sidebar", () => {
  test.use({ role: "admin" });

  test("a long list of conversations doesn't make a page taller", async ({ page, open, server }) => {
    writeDatabase(server, () => {
      for (let n = 0; n < 20; n++)
        addConversation(`cnv_${n}`, [{ role: "user", text: "Hello" }], {
          userId: "usr_admin",
          title: `Question ${n}`,
          createdAt: n,
          updatedAt: n,
          unreadAt: n,
        });
    });
    await page.setViewportSize({ width: 1280, height: 640 });
    await open("/chat/import");
    await expect(page.getByRole("link", { name: /Question 19.*, unread/i })).toBeAttached();
    const beyond = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(await beyond()).toBe(0);
  });
});
