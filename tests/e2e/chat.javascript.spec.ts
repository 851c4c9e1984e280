import { expect, test } from "../support/fixtures";

test.use({ role: "member" });

test("sends with Ctrl+Enter, counts the session, and Clear Chat begins anew without deleting", async ({
  page,
  open,
}) => {
  await open("/chat");
  const stats = page.locator("section", { hasText: "Session Stats" }).last();
  await expect(stats).toContainText("quarterdeck-offline");
  await page.getByRole("checkbox", { name: /web\.fetch/ }).uncheck();
  await page.getByRole("textbox", { name: "Message" }).fill("Hello there");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("not a language model");
  await expect(stats).toContainText(/Messages\s*2/);
  await expect(page).toHaveURL(/\/chat\/con_/);
  await page.getByRole("link", { name: "Clear Chat" }).click();
  await expect(page.getByText("Nothing asked yet")).toBeVisible();
  await expect(page.getByRole("link", { name: /Hello there/ }).first()).toBeVisible();
});

test("apologises when the server refuses, and says why", async ({ page, open }) => {
  await open("/chat");
  await page.route("**/api/ai/chat", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ detail: "The console is being restarted." }),
    }),
  );
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Sorry, I encountered an error. Please try again.");
  await expect(answer).toContainText("The console is being restarted.");
});
