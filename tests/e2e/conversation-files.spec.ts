import { readFileSync } from "node:fs";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const said = (role: string, text: string) => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
});
const EXPORT = [
  {
    conversation_id: "harbor",
    title: "Harbor plan",
    mapping: {
      q: { parent: null, message: said("user", "Which harbor?") },
      a: { parent: "q", message: said("assistant", "Bergen") },
      b: { parent: "q", message: said("assistant", "Oslo") },
    },
    current_node: "b",
  },
];

test("a ChatGPT export is imported and exported again with all versions of its answers", async ({
  page,
  open,
}) => {
  await open("/chat/import");
  const buffer = Buffer.from(JSON.stringify(EXPORT));
  await page
    .getByLabel("Export")
    .setInputFiles({ name: "conversations.json", mimeType: "application/json", buffer });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("list", { name: "Imports" })).toContainText("1 conversation, 3 messages");
  await expectAccessible(page);
  await page
    .getByRole("navigation", { name: "Conversations" })
    .getByRole("link", { name: "Harbor plan" })
    .click();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Oslo");
  await answer.getByRole("button", { name: "Previous version" }).click();
  await expect(answer).toContainText("Bergen");
  await page.getByLabel("More actions for this conversation").click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as JSON" }).click();
  const exported = readFileSync(await (await downloading).path(), "utf8");
  for (const text of ["Which harbor?", "Bergen", "Oslo"]) expect(exported).toContain(text);
});

test("files are sent with a message, and a rejected file prevents sending", {
  tag: "@no-javascript",
}, async ({ page, open, javaScriptEnabled }) => {
  await open("/chat");
  const field = page.locator('input[type="file"]').last();
  const notes = {
    name: "notes.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("# Tides\n\nHigh at noon."),
  };
  const broken = { name: "cat.png", mimeType: "image/png", buffer: Buffer.from("no cat") };
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await field.setInputFiles([notes, broken]);
  await page.getByRole("textbox", { name: "Message" }).fill("When is high water?");
  if (!javaScriptEnabled) await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("This file isn't an image, despite its file extension.")).toBeVisible();
  await expect(page.getByRole("list", { name: "Attached files" })).toContainText("notes.md");
  await expectAccessible(page);
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("When is high water?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("article", { name: "You" })).toContainText("notes.md");
  await expect(page.getByRole("article", { name: "Assistant" }).last()).toContainText("quarterdeck-offline");
});

test("files scroll into view, keep the focus when removed, and are waited for when leaving or sending", async ({
  page,
  open,
}) => {
  await open("/chat");
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  const field = page.locator('input[type="file"]').first();
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
  const names = Array.from({ length: 9 }, (_, n) => `minutes of the ${n + 1}. meeting.txt`);
  await field.setInputFiles(names.map(file));
  const list = page.getByRole("list", { name: "Attached files" });
  await expect(list.getByRole("listitem").last()).toBeInViewport();
  const button = (n: number) => list.getByRole("button", { name: `Remove ${names[n]}` });
  await button(8).press("Enter");
  await expect(button(7)).toBeFocused();
  await button(3).press("Enter");
  await expect(button(4)).toBeFocused();

  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route("**/api/attachments", async (route) => {
    await arrival;
    await route.continue();
  });
  await field.setInputFiles([file("late.txt")]);
  await expect(list).toContainText("late.txt");
  const asking = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asking;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  const message = page.getByRole("textbox", { name: "Message" });
  const queued = page.getByText("Sends once its files are uploaded");
  await message.fill("Summarize them");
  await message.press("Enter");
  await expect(queued).toBeVisible();
  await page.getByRole("button", { name: "Don't Send Yet" }).click();
  await expect(queued).toHaveCount(0);
  await expect(message).toBeFocused();
  await message.press("Enter");
  await expect(queued).toBeVisible();
  await expectAccessible(page);
  arrive();
  await expect(page.getByRole("article", { name: "You" })).toContainText("late.txt");
});

test("a message that waits for its files stays a draft if another conversation is opened", async ({
  page,
  open,
  server,
}) => {
  const sent = await server.ask("/api/ai/chat", {
    as: "member",
    json: { model: "quarterdeck-offline", messages: [{ role: "user", content: "Tides" }], tools: [] },
  });
  await sent.text();
  const other = `/chat/${sent.headers.get("x-conversation-id")}`;
  const message = page.getByRole("textbox", { name: "Message" });
  await open(other);
  await message.fill("half a thought");
  await page.getByRole("link", { name: "New Chat" }).click();
  await expect(message).toHaveValue("");
  await page.route("**/api/attachments", () => undefined);
  const buffer = Buffer.from("late");
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([{ name: "late.txt", mimeType: "text/plain", buffer }]);
  await message.fill("Summarize it");
  await message.press("Enter");
  const queued = page.getByText("Sends once its files are uploaded");
  await expect(queued).toBeVisible();
  await page.locator(`nav a[href="${other}"]`).first().click();
  await expect(page.getByRole("article", { name: "You" })).toHaveText(/Tides/);
  await expect(queued).toHaveCount(0);
  await expect(message).toHaveValue("half a thought");
  await page.getByRole("link", { name: "New Chat" }).click();
  await expect(message).toHaveValue("Summarize it");
});
