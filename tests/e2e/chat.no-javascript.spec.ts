import { expect, openSettings, test } from "../support/fixtures";

test.use({ role: "member" });

test("a conversation is renamed in its header, and the settings open as a sheet", async ({
  page,
  open,
  server,
}) => {
  const sent = await server.ask("/api/ai/chat", {
    as: "member",
    json: { model: "quarterdeck-offline", messages: [{ role: "user", content: "Tide tables" }], tools: [] },
  });
  await sent.text();
  await open(`/chat/${sent.headers.get("x-conversation-id")}`);
  await page.getByLabel("Rename conversation").click();
  await page.getByRole("textbox", { name: "Title" }).fill("Tides of May");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Tides of May", exact: true })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  const settings = page.getByRole("complementary", { name: "Chat Settings" });
  await expect(settings).toBeHidden();
  await page.getByRole("link", { name: /^Chat settings/ }).click();
  await expect(settings).toBeVisible();
  await settings.getByRole("link", { name: "Close chat settings" }).click();
  await expect(settings).toBeHidden();
});

test("an effort is chosen along with any model, and kept", async ({ page, open }) => {
  await open("/chat");
  await openSettings(page);
  await page.getByLabel("Effort").selectOption("high");
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Tide tables");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("link", { name: "Back to the console" }).click();
  await expect(page.getByLabel("Effort")).toHaveValue("high");
});
