import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { makeEncryptedPdf } from "../support/document-files";
import { expect, expectAccessible, openSettings, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

test.use({ role: "member" });

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a refused file and too many are explained, and can be removed", async ({ page, open }) => {
  const file = (name: string, content: Uint8Array | string) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(content),
  });
  const field = page.locator('input[type="file"]').last();
  const message = page.getByRole("textbox", { name: "Message" });
  await open("/chat");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await message.fill("What do they say?");
  await field.setInputFiles([file("secret.pdf", makeEncryptedPdf()), file("kept.txt", "High water at noon")]);
  await expect(page.getByText(/password/).first()).toBeVisible();
  await expectAccessible(page);
  const list = page.getByRole("list", { name: "Attached files" });
  await expect(list.getByRole("listitem").filter({ hasText: "kept.txt" })).toBeVisible();
  await expect(message).toHaveValue("What do they say?");
  await expect(page.getByRole("article")).toHaveCount(0);
  for (const name of ["secret.pdf", "kept.txt"])
    await list.getByRole("button", { name: `Remove ${name}` }).press("Enter");
  await field.setInputFiles(Array.from({ length: 11 }, (_, n) => file(`part ${n}.txt`, `Part ${n}`)));
  await expect(page.getByText("Attach at most 10 files to a message.").first()).toBeVisible();
});

test("files scroll into view, keep the focus when removed, and are waited for when leaving or sending", async ({
  page,
  open,
}) => {
  await open("/chat");
  await openSettings(page);
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

/** A provider whose model reads images. */
async function addMock(server: TestServer) {
  const mock = await startAimock();
  const id = await addMockProvider(server, mock);
  const close = async () => {
    await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
    await mock.stop();
  };
  return { mock, close };
}

test("an image is sent to a model that reads images, and opens", async ({ page, open, server }) => {
  const { mock, close } = await addMock(server);
  try {
    await open("/chat");
    const model = page.getByRole("combobox", { name: "Model", exact: true }).last();
    const send = page.getByRole("button", { name: "Send" });
    await model.selectOption("quarterdeck-offline");
    await page.getByRole("textbox", { name: "Message" }).fill("greet this one");
    await page
      .locator('input[type="file"]')
      .last()
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
    await expect(page.getByText(/can't read images/).first()).toBeVisible();
    await expectAccessible(page);
    await expect(send).toBeDisabled();
    await page.getByRole("button", { name: /^Use GPT-4o/ }).click();
    await send.click();
    await expect(page.getByRole("article", { name: "Assistant" })).toContainText("Hello from the other end.");
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain(DOT.toString("base64"));
    const image = page.getByRole("link", { name: "Open dot.png" });
    await expect(image.locator("img")).toHaveJSProperty("naturalWidth", 1);
    await image.click();
    await expect(page.getByRole("dialog", { name: "dot.png" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(image).toBeFocused();
  } finally {
    await close();
  }
});

test("an image that is opened during an answer stays open when the answer ends", async ({
  page,
  open,
  server,
}) => {
  const { close } = await addMock(server);
  try {
    await open("/chat");
    await openSettings(page);
    await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
    await page.getByRole("textbox", { name: "Message" }).fill("a hundred words");
    await page
      .locator('input[type="file"]')
      .last()
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByRole("article", { name: "Assistant" })).toContainText("word1");
    await page.getByRole("link", { name: "Open dot.png" }).click();
    const dialog = page.getByRole("dialog", { name: "dot.png" });
    await expect(dialog).toBeVisible();
    // Offered once the page has the stored messages.
    await expect(page.getByRole("button", { name: "Regenerate", includeHidden: true })).toBeAttached();
    await expect(dialog).toBeVisible();
  } finally {
    await close();
  }
});
