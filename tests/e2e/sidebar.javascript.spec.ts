import type { Page, Route } from "@playwright/test";
import { addConversation } from "../support/conversations";
import { expect, expectAccessible, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";
import type { TestServer } from "../support/server";

test.use({ role: "member" });

const side = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const link = (page: Page, title: string) => side(page).getByRole("link", { name: title, exact: true });
const menuOf = (page: Page, title: string) => side(page).getByRole("link", { name: `Actions for ${title}` });

const add = (server: TestServer, id: string, title: string) =>
  writeDatabase(server, () =>
    addConversation(id, [{ role: "user", text: title }], { title, updatedAt: Date.now() }),
  );

async function addFolder(server: TestServer, name: string): Promise<void> {
  const made = await server.ask("/api/ai/folders", { as: "member", json: { name } });
  expect(made.status).toBe(201);
}

test("a conversation is renamed, pinned, moved, found and deleted in the sidebar", async ({
  page,
  open,
  server,
}) => {
  add(server, "con_tides", "Tide table");
  add(server, "con_knots", "Knots and splices");
  await addFolder(server, "Sea");
  await open("/chat/con_knots");

  // By keyboard: the menu's first action.
  await menuOf(page, "Tide table").focus();
  await page.keyboard.press("Enter");
  const rename = side(page).getByRole("button", { name: "Rename" });
  await expect(rename).toBeFocused();
  await expectAccessible(page, { shell: true });
  await page.keyboard.press("Escape");
  await expect(menuOf(page, "Tide table")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rename).toBeFocused();
  await page.keyboard.press("Enter");
  const field = side(page).getByRole("textbox", { name: "Title" });
  await expect(field).toBeFocused();
  await field.fill("Ebb and flow");
  await page.keyboard.press("Enter");
  await expect(link(page, "Ebb and flow")).toBeFocused();
  await expect(page).toHaveURL(/con_knots$/);

  await link(page, "Ebb and flow").click({ button: "right" });
  await side(page).getByRole("button", { name: "Pin", exact: true }).click();
  await expect(side(page).getByRole("list", { name: "Pinned" })).toContainText("Ebb and flow");

  const folder = link(page, "Sea");
  await link(page, "Knots and splices").dragTo(folder);
  await expect(page.getByText("1 conversation moved")).toBeVisible();
  await expect(link(page, "Knots and splices")).toHaveCount(0);
  await folder.click();
  await expect(side(page).getByRole("list", { name: "Sea" })).toContainText("Knots and splices");
  // The server draws an open folder at once.
  await page.reload();
  await expect(side(page).getByRole("list", { name: "Sea" })).toContainText("Knots and splices");
  await menuOf(page, "Knots and splices").click();
  await side(page).getByRole("button", { name: "No Folder" }).click();
  await expect(side(page).getByRole("list", { name: "Today" })).toContainText("Knots and splices");

  const search = side(page).getByRole("searchbox", { name: "Search conversations" });
  await search.fill("ebb");
  const found = side(page).getByRole("list", { name: "Conversations found" });
  await expect(found.getByRole("link")).toHaveText(["Ebb and flow", "Show Messages Found"]);
  await page.keyboard.press("Escape");
  await expect(found).toHaveCount(0);

  await menuOf(page, "Knots and splices").click();
  await side(page).getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await expect(link(page, "Knots and splices")).toHaveCount(0);
  await link(page, "Recently Deleted").click();
  await page.getByRole("button", { name: "Restore Knots and splices" }).click();
  await expect(link(page, "Knots and splices")).toBeVisible();
});

test("Ctrl+B hides the sidebar, which the next page remembers", async ({ page, open }) => {
  await open("/chat");
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main).toBeVisible();
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("Control+b");
  await expect(main).toBeHidden();
  // As the server draws it, before any script.
  const html = await (await page.request.get("/chat")).text();
  expect(html).toContain("md:grid-cols-[minmax(0,1fr)]");
  await open("/personas");
  await expect(main).toBeHidden();
  await page.getByRole("button", { name: "Show the sidebar" }).click();
  await expect(main).toBeVisible();
});

test("the frame of a chat takes at most 180 of 900 px, and half of a window at 200 %", async ({
  page,
  open,
  server,
}) => {
  const said = Array.from({ length: 30 }, (_, n) => ({
    role: n % 2 ? ("assistant" as const) : ("user" as const),
    text: `Line ${n} of a long story`,
  }));
  writeDatabase(server, () =>
    addConversation("con_story", said, { title: "A story", model: "quarterdeck-offline" }),
  );
  /** Between the bars at the top and the composer, in pixels. */
  const talk = () =>
    page.evaluate(() => {
      const bars = [...document.querySelectorAll("header")].map((bar) => bar.getBoundingClientRect());
      const top = Math.max(0, ...bars.map(({ bottom }) => bottom));
      const composer = document.forms.namedItem("chat-form")?.parentElement?.getBoundingClientRect();
      return Math.min(window.innerHeight, composer?.top ?? 0) - top;
    });
  await page.setViewportSize({ width: 1440, height: 900 });
  await open("/chat/con_story");
  await expect(page.getByText("Line 29 of a long story")).toBeInViewport();
  expect(await talk()).toBeGreaterThanOrEqual(900 - 180);
  await page.setViewportSize({ width: 720, height: 450 });
  await open("/chat/con_story");
  await expect(page.getByText("Line 29 of a long story")).toBeInViewport();
  expect(await talk()).toBeGreaterThanOrEqual(225);
});

test("deleting the shown conversation leaves it, also when the page is reloaded meanwhile", async ({
  page,
  open,
  server,
}) => {
  add(server, "con_reef", "Reef knot");
  await open("/chat/con_reef");
  const sent = new Promise<Route>((resolve) => {
    void page.route(/\/chat\/all\.data/, (route) =>
      route.request().method() === "POST" ? resolve(route) : route.fallback(),
    );
  });
  await menuOf(page, "Reef knot").click();
  await side(page).getByRole("button", { name: "Delete" }).click();
  const deletion = await sent;
  // A new title reloads the conversation.
  const json = { title: "Square knot" };
  const change = { as: "member", method: "PATCH", json } as const;
  expect((await server.ask("/api/ai/conversations/con_reef", change)).status).toBe(200);
  await expect(link(page, "Square knot")).toBeVisible();
  await deletion.continue();
  await expect(page).toHaveURL(/\/chat$/);
  await expect(page.getByText("1 conversation deleted")).toBeVisible();
  await expect(link(page, "Square knot")).toHaveCount(0);
});
