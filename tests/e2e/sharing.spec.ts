import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "owner", serverOf: "sharing" });

test("a conversation is shared by a link until it is revoked", async ({ page, open, server, browser }) => {
  const json = { security: { allowShareLinks: true } };
  await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  const content = `Please kv.set harbor closed${"\n\nand again".repeat(40)}`;
  const messages = [{ role: "user", content }];
  const begun = await server.ask("/api/ai/chat", {
    as: "owner",
    json: { model: "quarterdeck-offline", messages, tools: [] },
  });
  await begun.text();
  const conversation = `/chat/${begun.headers.get("x-conversation-id")}`;
  await open(conversation);
  await page.getByLabel("More actions for this conversation").click();
  await page.locator("summary + *").getByRole("link", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share Conversation" });
  await expect(dialog.getByRole("radio", { name: /Only me/ })).toBeFocused();
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeGreaterThan(0);
  await dialog.getByText("Everyone", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Conversation shared")).toBeVisible();
  await page.getByRole("button", { name: "Create Link" }).click();
  await expect(page.getByText("Copy this link now.")).toBeVisible();
  // But for a pixel that is rounded.
  expect(Math.abs((await page.evaluate(() => window.scrollY)) - scrolled)).toBeLessThan(2);
  await expectAccessible(page);
  // The page behind loads again.
  const title = { as: "owner", method: "PATCH", json: { title: "Closed harbor" } } as const;
  expect((await server.ask(`/api/ai/conversations/${conversation.slice(6)}`, title)).ok).toBe(true);
  await expect(page.getByRole("main").getByText("Closed harbor").first()).toBeVisible();
  await expect(page.getByText("Copy this link now.")).toBeVisible();
  const address = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();

  const stranger = await browser.newContext();
  const reader = await stranger.newPage();
  await reader.goto(new URL(new URL(address).pathname, server.baseUrl).href);
  await expect(reader.getByRole("main")).toContainText("Please kv.set harbor closed");
  await expect(reader.getByRole("main")).toContainText("Quarterdeck");
  await expect(reader.getByRole("textbox")).toHaveCount(0);
  await expectAccessible(reader, { shell: true });
  await expect(page.locator(".row-actions").first()).toHaveCSS("opacity", "1");
  await page.getByRole("button", { name: /Revoke/ }).click();
  await expect(page.getByText("Link revoked")).toBeVisible();
  await expect(page.getByText("Copy this link now.")).toHaveCount(0);
  await dialog.getByRole("link", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(conversation);
  await expect(page.getByRole("log")).toContainText("Please kv.set harbor closed");
  const gone = await reader.reload();
  expect(gone?.status()).toBe(404);
  await expect(reader.getByText("This link doesn't work.")).toBeVisible();
  await stranger.close();
});

test("a prompt of the library is filled in and used in the chat", async ({ page, open, server }) => {
  const name = "Handover";
  await server.ask("/api/prompts", {
    as: "owner",
    json: { name, text: "Hand over {{shift}} to {{next=the day}}.", shared: true },
  });
  await open("/prompts");
  await page.getByRole("link", { name: `Use ${name} in chat` }).click();
  const dialog = page.getByRole("dialog", { name });
  await expect(dialog.getByLabel("next")).toHaveValue("the day");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByLabel("shift")).toHaveAccessibleDescription('Fill in "shift"');
  await dialog.getByLabel("shift").fill("the night");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByLabel("Text")).toHaveValue("Hand over the night to the day.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Use in Chat" }).click();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Hand over the night to the day.");
});

test("typing a slash inserts a prompt with a variable", async ({ page, open }) => {
  await open("/prompts?dialog=new");
  const dialog = page.getByRole("dialog", { name: "New Prompt" });
  await dialog.getByLabel("Name").fill("Incident report");
  await dialog
    .getByRole("textbox", { name: "Prompt" })
    .fill("Write a report on {{incident}}, in {{length=three}} lines.");
  await dialog.getByRole("button", { name: "Create Prompt" }).click();
  await expect(page.getByRole("list", { name: "Prompts" })).toContainText("Incident report");
  await open("/chat");
  const message = page.getByRole("textbox", { name: "Message" });
  await message.pressSequentially("/inx");
  await expect(page.getByText("No prompts found.")).toBeVisible();
  await message.press("Backspace");
  await message.pressSequentially("c");
  await expect(page.getByRole("option", { name: /Incident report/ })).toBeVisible();
  await message.press("Enter");
  const incident = page.getByRole("textbox", { name: "incident" });
  await page.getByRole("button", { name: "Insert" }).click();
  await expect(incident).toHaveAccessibleDescription('Fill in "incident"');
  await expect(incident).toBeFocused();
  await incident.fill("the crane");
  await page.getByRole("textbox", { name: "length" }).fill("");
  await page.getByRole("button", { name: "Insert" }).click();
  await expect(message).toHaveValue("Write a report on the crane, in three lines.");
});
