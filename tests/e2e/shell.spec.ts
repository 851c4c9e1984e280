import { expect, test } from "../support/fixtures";

test.describe("the landing page", () => {
  test("describes the product and links to the sign-in", async ({ page, open }) => {
    await open("/");
    await expect(page.getByRole("article")).toHaveCount(4);
    await expect(page.getByRole("contentinfo")).toBeVisible();
    // The picture of the page's theme alone.
    await expect(page.getByRole("img", { name: /an answer with a table/ })).toHaveCount(1);
    const models = page.getByRole("definition").first();
    expect(Number(await models.textContent())).toBeGreaterThan(15);
    await page.getByRole("link", { name: "Get Started" }).click();
    await expect(page).toHaveURL(/\/login\b/);
  });
});

test.describe("the shell", () => {
  test.use({ role: "owner" });

  test("links to every screen and marks the active one", async ({ page, open }) => {
    await open("/");
    await expect(page.getByText("AI/AGI Controller").filter({ visible: true })).toHaveCount(1);
    const navigation = page.getByRole("navigation", { name: "Main" });
    await expect(navigation.getByRole("link")).toHaveText([
      "Dashboard",
      "AI Chat",
      "Workflows",
      "Extensions",
      "Personas",
      "RAG & Memory",
      "Audit",
      "Settings",
    ]);
    for (const name of ["Personas", "Audit", "Settings", "Dashboard"]) {
      await navigation.getByRole("link", { name, exact: true }).click();
      await expect(navigation.getByRole("link", { name, exact: true })).toHaveAttribute(
        "aria-current",
        "page",
      );
      await expect(navigation.locator("[aria-current=page]")).toHaveCount(1);
    }
  });

  test("shows who is signed in, and signs out", { tag: "@no-javascript" }, async ({
    page,
    server,
    context,
  }) => {
    // Signing out ends the session, so it is one of this test's own.
    const [name = "", value = ""] = (
      await server.signIn("viewer@example.org", "correct horse battery")
    ).split("=");
    await context.addCookies([{ name, value, url: server.baseUrl, httpOnly: true, sameSite: "Lax" }]);
    await page.goto("/");
    const card = page.locator("aside").getByText("Viewer Tester");
    await expect(card).toBeVisible();
    await card.click();
    await page.getByRole("button", { name: "Sign Out" }).click();
    await expect(page.getByRole("link", { name: "Get Started" })).toBeVisible();
    expect((await server.ask("/api/auth/user", { headers: { cookie: `${name}=${value}` } })).status).toBe(
      401,
    );
  });

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

  test("keeps the selected theme", { tag: "@no-javascript" }, async ({ page, open }) => {
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

  test("has the palette as a page without JavaScript", { tag: "@no-javascript" }, async ({ page, open }) => {
    await open("/search?q=persona");
    await expect(page.getByRole("link", { name: /Add new persona/ })).toBeVisible();
    await page.getByRole("main").getByRole("searchbox").fill("nothing of this kind");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(page.getByText("No results found.")).toBeVisible();
  });
});

test.describe("an address that doesn't exist", () => {
  test.use({ role: "member" });
});

test.describe("the sidebar", () => {
  test.use({ role: "admin" });

  test("a long list of conversations doesn't make a page taller", async ({ page, open, server }) => {
    for (let index = 0; index < 20; index++) {
      const messages = [{ role: "user", content: `Question ${index}` }];
      const json = { messages, model: "quarterdeck-offline" };
      await (await server.ask("/api/ai/chat", { as: "admin", json })).text();
    }
    await page.setViewportSize({ width: 1280, height: 640 });
    await open("/chat/import");
    await expect(page.getByRole("link", { name: /Question 19.*, unread/i })).toBeAttached();
    const beyond = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(await beyond()).toBe(0);
  });
});
