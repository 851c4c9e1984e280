import { UNREACHABLE } from "~/ui/failures";
import { DRAWER_COOKIE, OPEN_DRAWER } from "~/work/chat/chat-choices.shared";
import { expect, openSettings, test } from "../support/fixtures";

test.use({ role: "member" });

test("sends with Ctrl+Enter, updates the session stats, and Clear Chat starts over without deleting", async ({
  page,
  open,
}) => {
  await open("/chat");
  await openSettings(page);
  const stats = page.locator("section", { hasText: "Session Stats" }).last();
  await expect(stats).toContainText("Quarterdeck offline");
  await page.getByRole("checkbox", { name: /web\.fetch/ }).uncheck();
  await page.getByRole("textbox", { name: "Message" }).fill("Hello there");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("not a language model");
  await expect(stats).toContainText(/Messages\s*2/);
  await expect(page).toHaveURL(/\/chat\/con_/);
  await page.getByRole("link", { name: "Clear Chat" }).click();
  await expect(page.getByText("The conversation stays in your list.")).toBeVisible();
  await expect(page.getByText("Start a conversation")).toBeVisible();
  await expect(page.getByRole("link", { name: /Hello there/ }).first()).toBeVisible();
});

test("shows the apology and the reason when the server rejects a message", async ({ page, open }) => {
  await open("/chat");
  await page.route("**/api/ai/chat", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ detail: "The console is restarting." }),
    }),
  );
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Sorry, I encountered an error. Please try again.");
  await expect(answer).toContainText("The console is restarting.");
  // The typed text returns to the input; the server has no answer to regenerate.
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Hello");
  await expect(page.getByRole("button", { name: "Regenerate" })).toHaveCount(0);
  await page.getByRole("link", { name: "Clear Chat" }).click();
  await expect(page.getByText("Start a conversation")).toBeVisible();
});

test("the settings are closed until they are opened on a wide window, which remembers them", async ({
  page,
  open,
  context,
}) => {
  // Chromium hands a cookie on after the script that set it.
  const isRemembered = async () =>
    (await context.cookies()).some(({ name, value }) => name === DRAWER_COOKIE && value === OPEN_DRAWER);
  await page.setViewportSize({ width: 1440, height: 900 });
  const settings = page.getByRole("complementary", { name: "Chat Settings" });
  await open("/chat");
  await expect(settings).toBeHidden();
  await openSettings(page);
  await expect(settings).toBeVisible();
  await expect.poll(isRemembered).toBe(true);
  await open("/chat");
  await expect(settings).toBeVisible();
  await settings.getByRole("link", { name: "Close chat settings" }).click();
  await expect(settings).toBeHidden();
  await expect.poll(isRemembered).toBe(false);
  await page.reload();
  await expect(settings).toBeHidden();
});

test("the dashboard panel answers in place, and its conversation opens in the chat", async ({
  page,
  open,
}) => {
  await open("/");
  const panel = page.locator("main section", { has: page.getByRole("heading", { name: "AI Chat" }) });
  await expect(panel).toContainText("Quarterdeck offline");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello from the panel");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("not a language model");
  expect(new URL(page.url()).pathname).toBe("/");
  // The end of the answer moves the link below it, away from a press that has begun.
  await expect(answer.getByRole("button", { name: "Copy answer" })).toBeVisible();
  await page.getByRole("link", { name: "Open in chat" }).click();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await expect(answer).toContainText("not a language model");
});

test("a temporary chat streams, stops, asks before it is left, and can be kept", async ({ page, open }) => {
  await open("/chat");
  await page.getByRole("link", { name: "Temporary Chat" }).click();
  await expect(page.getByText("This chat is kept nowhere", { exact: true })).toBeVisible();
  const field = page.getByRole("textbox", { name: "Message" });
  const answers = page.getByRole("article", { name: "Assistant" });
  await field.fill("Hello there");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answers).toContainText("not a language model");
  // An answer that is still to come when it is stopped.
  await page.route("**/api/ai/chat", () => undefined);
  await field.fill("a long story");
  await page.getByRole("button", { name: "Send" }).click();
  const stop = page.getByRole("button", { name: "Stop" });
  await expect(stop).toBeVisible();
  // Escape closes what is open first.
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(stop).toBeVisible();
  await page.keyboard.press("Escape");
  await page.unroute("**/api/ai/chat");
  await expect(answers.last()).toContainText("Stopped");
  await expect(page).toHaveURL(/\/chat\/temporary$/);

  // An error stays while the page's data are loaded again.
  await page.route("**/api/ai/chat", (route) => route.abort());
  await field.fill("Are you there?");
  await page.getByRole("button", { name: "Send" }).click();
  const unsent = page.getByText(UNREACHABLE);
  await expect(unsent).toBeVisible();
  const reloaded = page.waitForResponse((response) => /temporary.*data/.test(response.url()));
  await page.locator("#model-picker").dispatchEvent("change");
  await (await reloaded).finished();

  await page.getByRole("link", { name: "Personas" }).click();
  const question = page.getByRole("alertdialog", { name: "Leave? This chat is kept nowhere." });
  await question.getByRole("button", { name: "Stay" }).click();
  await expect(question).toBeHidden();
  await expect(unsent).toBeVisible();
  await page.getByRole("button", { name: "Keep This Chat" }).click();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await expect(page.getByRole("article", { name: "You" })).toHaveCount(2);
  await expect(answers.first()).toContainText("not a language model");
});
