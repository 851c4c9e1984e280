import type { Locator, Page } from "@playwright/test";
import { addConversation } from "../support/conversations";
import { expect, expectAccessible, openSettings, test } from "../support/fixtures";
import { hold } from "../support/hold";
import { writeDatabase } from "../support/live-database";
import type { TestServer } from "../support/server";
import { signInAgain } from "../support/sign-in-again";

test.use({ role: "member" });

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const messages = (page: Page) => page.getByRole("log", { name: "Messages" });
const fromEnd = (page: Page) =>
  page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return Math.round(scrollHeight - window.scrollY - clientHeight);
  });
const toTop = (page: Page) => page.evaluate(() => window.scrollTo({ top: 0 }));

/** A conversation longer than any window. */
async function longConversation(server: TestServer): Promise<string> {
  const text = "A line of the story.\n\n".repeat(60);
  const sent = await server.ask("/api/ai/chat", {
    as: "member",
    json: { model: "quarterdeck-offline", messages: [{ role: "user", content: text }], tools: [] },
  });
  await sent.text();
  return `/chat/${sent.headers.get("x-conversation-id")}`;
}

test("sending scrolls to the end, and scrolling up shows a button back to it", async ({
  page,
  open,
  server,
}) => {
  await open(await longConversation(server));
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  const jump = page.getByRole("button", { name: /^Jump to latest/ });
  await expect(jump).toHaveCount(0);
  await toTop(page);
  await expect(jump).toBeVisible();
  await expectAccessible(page);
  await jump.click();
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  await expect(jump).toHaveCount(0);
  await toTop(page);
  await field(page).fill("Hello");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("article", { name: "You" })).toHaveCount(2);
  await expect(page.getByRole("article", { name: "You" }).last()).toBeInViewport();
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});

test("a long conversation shows at its end that its model is no longer available", async ({
  page,
  open,
  server,
}) => {
  const said = Array.from({ length: 40 }, (_, n) => ({
    role: n % 2 ? ("assistant" as const) : ("user" as const),
    text: `Message ${n}`,
  }));
  writeDatabase(server, () => addConversation("con_gone_model", said, { model: "gone-model" }));
  await open("/chat/con_gone_model");
  await expect(page.getByText("Message 39")).toBeInViewport();
  await expect(page.getByText("Model not available")).toBeInViewport();
});

test("a draft is kept with its conversation across navigation and reloads until it is sent", async ({
  page,
  open,
  server,
}) => {
  const other = await longConversation(server);
  await open("/chat");
  await expect(field(page)).toBeFocused();
  await field(page).fill("half a");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("thought");
  await page.getByRole("link", { name: "Personas" }).first().click();
  await expect(page.getByRole("heading", { name: "Personas", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(field(page)).toHaveValue("half a\nthought");
  await open(other);
  await expect(field(page)).toHaveValue("");
  await open("/chat");
  await expect(field(page)).toHaveValue("half a\nthought");
  await page.keyboard.press("Escape");
  await field(page).press("Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("not a language model");
  await page.reload();
  await expect(page.getByRole("article", { name: "You" })).toContainText("thought");
  await expect(field(page)).toHaveValue("");
});

test("a first message that arrived just before a reload opens its conversation, and is no draft", async ({
  page,
  open,
}) => {
  await open("/chat");
  const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Pagers beep.") };
  await page.locator('input[type="file"]').last().setInputFiles([file]);
  await expect(page.getByRole("button", { name: "Remove notes.txt" })).toBeVisible();
  const arrived = new Promise<void>((resolve) => {
    void page.route("**/api/ai/chat", (route) => route.fetch().then(() => resolve()));
  });
  await field(page).fill("What do pagers do?");
  await page.keyboard.press("Enter");
  await arrived;
  await page.reload();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  await expect(page.getByRole("article", { name: "You" })).toContainText("What do pagers do?");
  await expect(field(page)).toHaveValue("");
  await open("/chat");
  await expect(page.getByText("Start a conversation")).toBeVisible();
  await expect(field(page)).toHaveValue("");
  await expect(page.getByText("notes.txt")).toHaveCount(0);
});

test.describe("a message that couldn't be sent", () => {
  test.use({ expected: /Failed to fetch/ });

  test("stays as a draft after a reload, also with the words of the last question", async ({
    page,
    open,
    server,
  }) => {
    await open(await longConversation(server));
    await field(page).fill("Hello again");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article", { name: "Assistant" })).toHaveCount(2);
    await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
    await page.route("**/api/ai/chat", (route) => route.abort());
    await field(page).fill("Hello again");
    await page.keyboard.press("Enter");
    await expect(field(page)).toHaveValue("Hello again");
    await page.reload();
    await page.locator("html[data-scripted]").waitFor({ state: "attached" });
    await expect(page.getByRole("article", { name: "You" })).toHaveCount(2);
    await expect(field(page)).toHaveValue("Hello again");
  });

  /** The next message arrives, and its response is lost. */
  const loseResponse = (page: Page) =>
    page.route("**/api/ai/chat", (route) => route.fetch().then(() => route.abort()), { times: 1 });

  test("that arrived is sent once when it is sent again", async ({ page, open }) => {
    await open("/chat");
    const questions = page.getByRole("article", { name: "You" });
    const answers = page.getByRole("article", { name: "Assistant" });
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Pagers beep.") };
    await page.locator('input[type="file"]').last().setInputFiles([file]);
    await expect(page.getByRole("button", { name: "Remove notes.txt" })).toBeVisible();
    await loseResponse(page);
    await field(page).fill("Did it arrive?");
    await page.keyboard.press("Enter");
    await expect(answers.last()).toContainText("can't be reached");
    await expect(field(page)).toHaveValue("Did it arrive?");
    await page.keyboard.press("Enter");
    await expect(answers.last()).toContainText("not a language model");
    await expect(answers.last().getByTitle("Duration")).toBeVisible();
    await expect(page).toHaveURL(/\/chat\/con_/);
    await page.reload();
    await expect(questions).toHaveCount(1);
    await expect(answers).toHaveCount(1);
    await expect(field(page)).toHaveValue("");
    await field(page).fill("Did it arrive?");
    await page.keyboard.press("Enter");
    await expect(questions).toHaveCount(2);
    await expect(answers).toHaveCount(2);
  });
});

test("touch opens the menus of rows and the actions of an answer", async ({
  browser,
  contextOptions,
  server,
}) => {
  const path = await longConversation(server);
  const viewport = { width: 390, height: 844 };
  const context = await browser.newContext({ ...contextOptions, viewport, hasTouch: true, isMobile: true });
  const [name = "", value = ""] = server.cookieOf("member").split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  const visit = async (address: string) => {
    await page.goto(server.baseUrl + address);
    await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  };
  const expectLarge = async (target: Locator) => {
    const box = await target.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  };
  await visit("/chat/all");
  const more = page.locator("main summary[aria-label^='More actions']").first();
  await expectLarge(more);
  await more.tap();
  await page
    .getByRole("link", { name: /^Rename/ })
    .first()
    .tap();
  const dialog = page.getByRole("dialog", { name: "Rename Conversation" });
  await expect(dialog).toBeVisible();
  await dialog.getByRole("link", { name: "Cancel" }).tap();
  await expect(dialog).toHaveCount(0);

  await visit(path);
  const regenerate = page.getByRole("button", { name: "Regenerate" });
  await expectLarge(regenerate);
  await regenerate.tap();
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("Version 2 / 2");
  await context.close();
});

test("a double click on Send sends once and doesn't stop the answer", async ({ page, open }) => {
  await open("/chat");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await field(page).fill("Hello");
  await page.getByRole("button", { name: "Send" }).dblclick();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer.getByTitle("Duration")).toBeVisible();
  await expect(answer).not.toContainText("Stopped");
  await expect(page.getByRole("article", { name: "You" })).toHaveCount(1);
});

test("an edited message, a comment and a title outlast the session until they are sent", async ({
  page,
  open,
  server,
  context,
}) => {
  await open(await longConversation(server));
  const edit = page.getByRole("textbox", { name: "Edit message" });
  const comment = page.getByRole("textbox", { name: "Comment" });
  const title = page.getByRole("textbox", { name: "Title" });
  const rename = page.getByLabel("Rename conversation");
  await field(page).fill("Another thought");
  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByRole("article", { name: "You" }).hover();
  await page.getByRole("link", { name: "Edit message" }).click();
  await edit.fill("Half of an edit");
  await context.clearCookies();
  await edit.press("Control+Enter");
  await expect(page.getByText("Couldn't generate the answer")).toBeVisible();
  await expect(edit).toHaveValue("Half of an edit");
  await page.reload();
  await signInAgain(page, "member");
  await expect(edit).toHaveValue("Half of an edit");
  await expect(page.getByRole("textbox", { name: "Message", exact: true })).toHaveValue("Another thought");
  await edit.press("Control+Enter");
  await expect(page.getByText("2 / 2")).toBeVisible();
  await expect(edit).toHaveCount(0);
  await expect(page).not.toHaveURL(/panel=/);

  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByRole("link", { name: "Add comment" }).click();
  await comment.fill("Half of a comment");
  await context.clearCookies();
  await page.getByRole("button", { name: "Save Comment" }).click();
  await signInAgain(page, "member");
  if (!(await comment.isVisible())) await page.getByRole("link", { name: "Add comment" }).click();
  await expect(comment).toHaveValue("Half of a comment");
  await page.getByRole("button", { name: "Save Comment" }).click();
  await expect(comment).toHaveCount(0);

  await rename.click();
  await title.fill("Half of a title");
  await context.clearCookies();
  await page.reload();
  await signInAgain(page, "member");
  await expect(title).toHaveValue("Half of a title");
  await title.press("Enter");
  await expect(page.getByRole("heading", { name: "Half of a title" })).toBeVisible();
});

test("the dashboard's question outlasts the session, also one that was refused", async ({
  page,
  open,
  context,
}) => {
  await open("/");
  await field(page).fill("Half of a question");
  await context.clearCookies();
  await field(page).press("Control+Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("Sign in");
  await expect(field(page)).toHaveValue("Half of a question");
  await page.reload();
  await page.getByRole("link", { name: "Sign In" }).first().click();
  await signInAgain(page, "member");
  // Members land in the chat.
  await page.getByRole("link", { name: "Dashboard" }).first().click();
  // The chat, which has the draft as well, stays until the dashboard is loaded.
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  await expect(field(page)).toHaveValue("Half of a question");
  await field(page).press("Control+Enter");
  await expect(page.getByRole("article", { name: "Assistant" })).toContainText("not a language model");
  await page.reload();
  await expect(field(page)).toHaveValue("");
});

test("Up edits the last message, Escape leaves it, and its new answer stays in sight with the focus in the field", async ({
  page,
  open,
  server,
}) => {
  await open(await longConversation(server));
  await field(page).press("ArrowUp");
  const edit = page.getByRole("textbox", { name: "Edit message" });
  await expect(edit).toBeFocused();
  await edit.press("Escape");
  await expect(edit).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Message", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await edit.fill("Half of an edit");
  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByRole("link", { name: "Add comment" }).click();
  await expect(page.getByText("Your edit is kept")).toBeVisible();
  await page.getByRole("article", { name: "You" }).hover();
  await page.getByRole("link", { name: "Edit message" }).click();
  await expect(edit).toHaveValue("Half of an edit");
  await edit.fill("A line of another story.\n\n".repeat(60));
  const loading = await hold(page, /\/chat\/con_\w+\.data/);
  await edit.press("Control+Enter");
  await expect(page.getByRole("article", { name: "Assistant" }).getByTitle("Duration")).toBeVisible();
  await expect(field(page)).toBeFocused();
  loading.release();
  await expect(page.getByText("2 / 2")).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.__remixRouter.state.navigation.state)).toBe("idle");
  expect(await fromEnd(page)).toBeLessThan(2);
});

test.describe("without a connection", () => {
  test.use({ ownContext: true });

  test("a message waits in the field and is sent once the connection is back", async ({
    page,
    open,
    server,
    context,
  }) => {
    await open(await longConversation(server));
    await context.setOffline(true);
    await field(page).fill("Are you there?");
    await page.keyboard.press("Enter");
    await expect(page.getByText("The server can't be reached.")).toBeVisible();
    await expect(field(page)).toHaveValue("Are you there?");
    await context.setOffline(false);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article", { name: "You" })).toHaveCount(2);
    await expect(page.getByRole("article", { name: "Assistant" }).last()).toContainText(
      "not a language model",
    );
    await expect(field(page)).toHaveValue("");
  });
});

test("Enter starts a new line when that preference is set", async ({ page, open, server }) => {
  const set = (enterSends: boolean) =>
    server.ask("/api/user/settings", { as: "member", method: "PUT", json: { enterSends } });
  expect((await set(false)).status).toBe(200);
  await open("/chat");
  await expect(page.getByText(/\+Enter to send/)).toBeVisible();
  await field(page).fill("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  await expect(field(page)).toHaveValue("one\ntwo");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("article", { name: "You" })).toContainText("two");
  expect((await set(true)).status).toBe(200);
});

/** Lets go of a file over an element, or pastes it into it; tells whether the browser would have acted by itself. */
const give = (page: Page, selector: string, kind: "drop" | "paste") =>
  page.locator(selector).evaluate((element, type) => {
    const data = new DataTransfer();
    data.items.add(new File(["# Rota"], "rota.md", { type: "text/markdown" }));
    const init = { bubbles: true, cancelable: true };
    const events =
      type === "drop"
        ? ["dragenter", "dragover", "drop"].map(
            (name) => new DragEvent(name, { ...init, dataTransfer: data }),
          )
        : [new ClipboardEvent("paste", { ...init, clipboardData: data })];
    return events.map((event) => element.dispatchEvent(event)).at(-1);
  }, kind);

test("dropped and pasted files are attached and sent, and rejected ones show the reason", async ({
  page,
  open,
}) => {
  await open("/chat");
  await field(page).fill("about this");
  expect(await give(page, "textarea", "drop")).toBe(false);
  expect(await give(page, "textarea", "paste")).toBe(false);
  const files = page.getByRole("list", { name: "Attached files" });
  await expect(files.getByText("rota.md")).toHaveCount(2);
  // Uploaded: until then each row changes its width, and its button its place.
  await expect(files.getByText("6 B")).toHaveCount(2);
  await files.getByRole("button", { name: "Remove rota.md" }).first().click();
  await expect(files.getByText("rota.md")).toHaveCount(1);
  await page.locator("input[type=file]").setInputFiles({
    name: "cat.png",
    mimeType: "image/png",
    buffer: Buffer.from("<html>not a cat</html>"),
  });
  await expect(files.getByRole("alert")).toContainText("This file isn't an image");
  await expectAccessible(page);
  await files.getByRole("button", { name: "Remove cat.png" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("link", { name: /^rota\.md/ })).toBeVisible();
  await expect(field(page)).toHaveValue("");
});

test("a long paste becomes a file, and a large image is scaled down", async ({ page, open }) => {
  await open("/chat");
  const files = page.getByRole("list", { name: "Attached files" });
  await field(page).focus();
  await field(page).evaluate((element) => {
    const text = "All work and no play. ".repeat(400);
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const isKept = element.dispatchEvent(
      new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }),
    );
    if (isKept) document.execCommand("insertText", false, text);
  });
  await page.getByRole("button", { name: "Attach as File" }).click();
  await expect(files).toContainText("pasted-text.txt");
  await expect(field(page)).toHaveValue("");
  const stored = page.waitForResponse(
    async (response) =>
      response.url().endsWith("/api/attachments") && (await response.text()).includes("wide.jpg"),
  );
  await field(page).evaluate(async (element) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 9000, height: 30 });
    canvas.getContext("2d")?.fillRect(0, 0, 9, 9);
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([drawn ?? ""], "wide.png", { type: "image/png" }));
    element.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
  });
  expect((await stored).status()).toBe(201);
  await expect(files).toContainText("wide.jpg");
  for (const name of ["pasted-text.txt", "wide.jpg"])
    await files.getByRole("button", { name: `Remove ${name}` }).click();
});

test("following a link right after the first message isn't undone by the new conversation's page", async ({
  page,
  open,
}) => {
  await open("/chat");
  const model = await hold(page, (url) => url.pathname.startsWith("/model"));
  const personas = await hold(page, (url) => url.pathname.startsWith("/personas"));
  const saved = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/model"));
  await page.locator("#model-picker").selectOption("quarterdeck-offline");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await field(page).fill("Hello");
  await field(page).press("Enter");
  await expect(page).toHaveURL(/\/chat\/con_/);
  const opening = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith("/personas"));
  await page.getByRole("link", { name: "Personas" }).first().click();
  await opening;
  model.release();
  await saved;
  personas.release();
  await expect(page.getByRole("heading", { name: "Personas", level: 1 })).toBeVisible();
});

test("a new conversation stays visible while its URL loads, and New Chat leaves it", async ({
  page,
  open,
}) => {
  await open("/chat");
  const conversation = await hold(page, "**/chat/con_*");
  const loading = page.waitForRequest("**/chat/con_*");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await field(page).fill("Hello");
  await field(page).press("Enter");
  await loading;
  await expect(page.getByRole("article", { name: "Assistant" })).toBeVisible();
  await expect(page.locator("[data-skeleton]")).toHaveCount(0);
  await page.getByRole("link", { name: "New Chat" }).click();
  await expect(page.getByRole("heading", { name: "Start a conversation" })).toBeVisible();
  conversation.release();
  await field(page).fill("Hello again");
  await expect(page).toHaveURL(/\/chat$/);
  await expect(page.getByRole("article")).toHaveCount(0);
});

test("the browser opens no dropped file on any screen", async ({ page, open }) => {
  await open("/personas");
  expect(await give(page, "main", "drop")).toBe(false);
  await page.context().clearCookies();
  await open("/login?local=1");
  expect(await give(page, "main", "drop")).toBe(false);
});

test("a chat's model changes that chat alone, until it is used by default", async ({
  page,
  open,
  server,
}) => {
  const conversation = await longConversation(server);
  const made = await server.ask("/api/providers", {
    as: "owner",
    json: {
      provider: "custom",
      displayName: "Lab",
      enabled: true,
      config: { baseUrl: "http://127.0.0.1:9/v1", models: ["lab-one", "lab-two"] },
    },
  });
  const { id } = (await made.json()) as { id: string };
  const header = page.locator("#model-picker");
  const own = page.getByRole("combobox", { name: "Model", exact: true }).last();
  const byDefault = page.getByRole("button", { name: "Use by Default" });
  const show = async (ownModel: string, defaultModel: string) => {
    await expect(own).toHaveValue(ownModel);
    await expect(header).toHaveValue(defaultModel);
    await expect(byDefault).toHaveCount(ownModel === defaultModel ? 0 : 1);
  };
  /** Waits until the server has it: a reload would take the request back. */
  const saved = async (act: () => Promise<unknown>) => {
    const response = page.waitForResponse((one) => one.request().method() === "POST");
    await act();
    await response;
  };
  await saved(async () => {
    await open("/chat");
    await openSettings(page);
    await header.selectOption("lab-one");
  });
  await show("lab-one", "lab-one");
  await open(conversation);
  await show("quarterdeck-offline", "lab-one");
  await saved(() => own.selectOption("lab-two"));
  await show("lab-two", "lab-one");
  await page.reload();
  await show("lab-two", "lab-one");
  await saved(() => byDefault.click());
  await show("lab-two", "lab-two");
  await saved(() => header.selectOption("lab-one"));
  await show("lab-two", "lab-one");
  // Before hydration.
  const script = await hold(page, "**/assets/entry.client-*.js");
  await page.reload({ waitUntil: "commit" });
  await header.selectOption("lab-two");
  await saved(async () => script.release());
  await show("lab-two", "lab-two");
  await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
});

test("a conversation fits a phone, where Enter starts a new line, a window at 200% zoom, and paper", async ({
  page,
  open,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const device = await page.context().newCDPSession(page);
  await device.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  await open(await longConversation(server));
  const send = page.getByRole("button", { name: "Send" });
  await expect(send).toBeInViewport({ ratio: 1 });
  await field(page).fill("one");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("one\n");
  await field(page).fill("");

  await page.setViewportSize({ width: 720, height: 450 });
  await expect(send).toBeInViewport({ ratio: 1 });
  await field(page).press("ArrowUp");
  const panel = page.locator("[data-message-panel]");
  await expect(panel.getByRole("textbox", { name: "Edit message" })).toBeFocused();
  const distance = () =>
    panel.evaluate((form) => {
      const composer = document.forms.namedItem("chat-form");
      return (composer?.getBoundingClientRect().top ?? 0) - form.getBoundingClientRect().bottom;
    });
  await expect.poll(distance).toBeGreaterThan(0);

  // A wide sheet has no column for the navigation.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ media: "print" });
  await expect
    .poll(() => messages(page).evaluate((log) => log.scrollHeight - log.clientHeight))
    .toBeLessThan(2);
  expect(await messages(page).evaluate((log) => log.clientWidth / window.innerWidth)).toBeGreaterThan(0.8);
  await expect(field(page)).toBeHidden();
});

for (const width of [390, 1440]) {
  test(`nothing moves when the scripts of the chat have loaded, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("textarea, [role=log], aside[aria-label='Chat Settings'] label")].map(
          (element) => {
            const { x, y } = element.getBoundingClientRect();
            return [element.textContent, Math.round(x), Math.round(y)];
          },
        ),
      );
    const scripts = await hold(page, /\/assets\/.*\.js$/);
    await page.goto("/chat", { waitUntil: "commit" });
    // The held scripts wait for the end of the document.
    await page.waitForFunction(() => document.readyState === "interactive");
    await page.evaluate(() => document.fonts.ready);
    const before = await places();
    scripts.release();
    await page.locator("html[data-scripted]").waitFor({ state: "attached" });
    await expect.poll(places).toEqual(before);
  });
}
