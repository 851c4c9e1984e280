import { expect, test } from "../support/fixtures";
import { people } from "../support/people";

test.use({ role: "owner" });

test("the palette opens with Ctrl+K, finds a command, runs it and closes", async ({ page, open }) => {
  await open("/");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  const input = palette.getByPlaceholder("Type a command or search...");
  await expect(input).toBeFocused();
  await expect(palette.getByText("Actions", { exact: true })).toBeVisible();
  await input.fill("add new persona");
  await expect(palette.getByText("Create new workflow")).toBeHidden();
  await expect(palette.getByText("Add new persona")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/personas$/);
  await expect(palette).toBeHidden();
});

test("what is typed while the palette loads is searched, and doesn't reach the page", async ({
  page,
  open,
}) => {
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route(/kbar-palette/, async (route) => {
    await arrival;
    await route.continue();
  });
  await open("/chat");
  const message = page.getByRole("textbox", { name: "Message" });
  await message.focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("add nww");
  await page.keyboard.press("Backspace");
  arrive();
  const palette = page.getByRole("dialog", { name: "Command palette" });
  const input = palette.getByRole("combobox");
  await expect(input).toHaveValue("add nw");
  await input.press("Backspace");
  await input.pressSequentially("ew persona");
  await expect(palette.getByText("Create new workflow")).toBeHidden();
  await expect(palette.getByText("Add new persona")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/personas$/);
  await open("/chat");
  await expect(message).toHaveValue("");
});

test("Enter right behind quick typing runs a result of the typed text", async ({ page, open, server }) => {
  const made = await server.ask("/api/personas", { as: "owner", json: { name: "Zebra crossing" } });
  const { id } = (await made.json()) as { id: string };
  const input = page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox");
  /** Types and presses Enter in one task of the page: kbar renders in a later one. */
  const typeAndEnter = (text: string) =>
    input.evaluate((field, typed) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, typed);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    }, text);
  await open("/");
  await page.keyboard.press("Control+k");
  await expect(page.getByText("Create new workflow")).toBeVisible();
  await typeAndEnter("add new persona");
  await expect(page).toHaveURL(/\/personas$/);

  await page.keyboard.press("Control+k");
  await input.fill("profile");
  await expect(page.getByRole("option").nth(1)).toBeVisible();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/search?q=zebra*", async (route) => {
    await isAnswered;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/search?q=zebra*");
  await typeAndEnter("zebra cross");
  await asked;
  answer();
  await expect(page).toHaveURL(new RegExp(`dialog=edit&id=${id}`));
  await server.ask(`/api/personas/${id}`, { as: "owner", method: "DELETE" });
});

test("the palette reports no results, and Escape closes it", async ({ page, open }) => {
  await open("/");
  await page.getByRole("banner").getByRole("link", { name: "Search" }).click();
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("combobox").fill("zzzz");
  await expect(palette.getByText("No results found.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
});

test("Ctrl+N and Ctrl+D stay with a selected row and the builder", async ({ page, open, server }) => {
  const json = { model: "quarterdeck-offline", messages: [{ role: "user", content: "A story" }], tools: [] };
  await (await server.ask("/api/ai/chat", { as: "owner", json })).text();
  const stays = async (path: string) => {
    for (const key of ["d", "n"]) await page.keyboard.press(`Control+${key}`);
    // A sequence still leaves, so the page has had time to.
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await expect(page).toHaveURL(/\/personas$/);
    await page.goBack();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  };
  await open("/chat/all");
  await page.getByRole("checkbox", { name: "Select A story" }).first().check({ force: true });
  await page.getByRole("heading", { level: 1 }).click();
  await stays("/chat/all");
  await open("/workflows/builder");
  await stays("/workflows/builder");
});

test("Ctrl+C with a selection copies it", async ({ page, open }) => {
  await open("/workflows");
  await page.getByRole("heading", { level: 1 }).selectText();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  // Had Ctrl+C left the screen, the sequence would have been the chat's; it ends on Personas either way but once.
  await expect(page).toHaveURL(/\/personas$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/workflows$/);
});

test("the palette changes the theme on the page that one is on, and signs out", async ({
  page,
  open,
  server,
}) => {
  // A session of its own, as it signs out.
  const cookie = await server.signIn(people.member.email, people.member.password);
  const [name = "", value = ""] = cookie.split("=");
  await page.context().addCookies([{ name, value, url: server.baseUrl }]);
  await open("/personas");
  const run = async (command: string) => {
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill(command);
    await expect(palette.getByText(command, { exact: true })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(palette).toBeHidden();
  };
  await run("Use light theme");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect(page).toHaveURL(/\/personas$/);
  await run("Use dark theme");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await run("Sign out");
  await expect(page.getByRole("link", { name: "Sign In" }).first()).toBeVisible();
  expect((await page.request.get("/api/auth/user")).status()).toBe(401);
});
