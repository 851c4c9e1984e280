import { expect, test } from "../support/fixtures";

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

test("the palette reports no results, and Escape closes it", async ({ page, open }) => {
  await open("/");
  await page.getByRole("banner").getByRole("link", { name: "Search" }).click();
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("combobox").fill("zzzz");
  await expect(palette.getByText("No results found.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
});

test("Ctrl+1 to Ctrl+9 open the screens in order", async ({ page, open }) => {
  await open("/workflows");
  const order = [
    /\/$/,
    /\/chat/,
    /\/workflows$/,
    /\/personas$/,
    /\/rag$/,
    /\/settings\/providers$/,
    /\/extensions$/,
    /\/audit$/,
    /\/settings\/\w+$/,
  ];
  for (const [index, address] of order.entries()) {
    await page.keyboard.press(`Control+${index + 1}`);
    await expect(page).toHaveURL(address);
  }
});

test("Ctrl+N, Ctrl+C and Ctrl+D work only while the palette is closed", async ({ page, open }) => {
  await open("/");
  await page.keyboard.press("Control+d");
  await expect(page).toHaveURL(/\/rag$/);
  await page.keyboard.press("Control+n");
  await expect(page).toHaveURL(/\/workflows$/);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Command palette" })).toBeVisible();
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Command palette" })).toBeHidden();
  await expect(page).toHaveURL(/\/workflows$/);
  await page.keyboard.press("Control+c");
  await expect(page).toHaveURL(/\/chat/);
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
