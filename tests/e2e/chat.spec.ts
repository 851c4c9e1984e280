import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { expect, expectAccessible, openSettings, test } from "../support/fixtures";
import { people } from "../support/people";

/** The mock server reasons as models of this name only. */
const REASONER = "o3-mini";

let mock: LLMock;

test.use({ role: "member" });

test.beforeAll(async ({ server }) => {
  mock = await startAimock();
  await addMockProvider(server, mock, [AIMOCK_MODEL, REASONER]);
});

test.afterAll(async ({ server }) => {
  const providers = (await (await server.ask("/api/providers", { as: "owner" })).json()) as { id: string }[];
  for (const { id } of providers) await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
  await mock.stop();
});

async function send(page: Page, text: string, model = AIMOCK_MODEL) {
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(model);
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const marks = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const answer = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();

test("goes on with an answer that ended at its limit", async ({ page, open }) => {
  await open("/chat");
  await send(page, "half a greeting");
  await expect(answer(page)).toContainText("Stopped at the length limit of 4,096 tokens");
  await expectAccessible(page);
  await answer(page).getByRole("button", { name: "Continue" }).click();
  await expect(answer(page)).toContainText("Hello from the other end, again.");
  await expect(answer(page)).toContainText("2 / 2");
  await expect(answer(page).getByRole("button", { name: "Continue" })).toHaveCount(0);
});

test("waits for approval of a tool call, whose arguments can be edited", {
  tag: "@no-javascript",
}, async ({ page, open, server, javaScriptEnabled }) => {
  const setPolicy = (policy: string) =>
    server.ask("/api/tools/kv.set/policy", { as: "admin", method: "PUT", json: { policy } });
  await setPolicy("ask");
  try {
    await open("/chat");
    await openSettings(page);
    await page.getByRole("checkbox", { name: /kv\.set/ }).check();
    await send(page, "remember this");
    const asked = page.getByRole("region", { name: "Approve kv.set" });
    await expect(asked).toContainText("greeting");
    await expect(answer(page)).toContainText("Waiting for your approval.");
    if (javaScriptEnabled !== false) await expect(marks(page)).toContainText("Waiting for your approval");
    await expectAccessible(page);
    await asked.locator("summary", { hasText: "Edit Arguments" }).click();
    const input = asked.getByRole("textbox", { name: "Arguments as JSON" });
    await input.fill('{"key": 7}');
    await asked.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(asked.getByRole("alert")).toContainText("key");
    await expect(input).toHaveValue('{"key": 7}');
    await input.fill('{"key": "greeting", "value": "good day"}');
    await asked.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(answer(page)).toContainText("I have kept it.");
    if (javaScriptEnabled !== false)
      await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();
    await answer(page).locator("summary").first().click();
    await expect(answer(page).getByRole("region", { name: "Parameters" })).toContainText("good day");
  } finally {
    await setPolicy("default");
  }
});

test("shows reasoning collapsed, a formula and a diagram, and copies the answer", async ({ page, open }) => {
  const diagram = "```mermaid\ngraph TD\nA-->B\n```";
  const content = `It is port: $x^2$.\n\n${diagram}`;
  mock.onMessage("ponder", { reasoning: "Port or starboard?", content });
  await open("/chat");
  await send(page, "ponder this", REASONER);
  await expect(answer(page)).toContainText("It is port:");
  await expect(answer(page).getByTitle("Duration")).toBeVisible();
  const thought = answer(page).getByText("Port or starboard?");
  await expect(thought).toBeHidden();
  await answer(page).locator("summary", { hasText: "Thought for" }).click();
  await expect(thought).toBeVisible();
  await expect(answer(page).locator("math msup")).toHaveText("x2");
  await expect(answer(page).getByRole("img", { name: /^Diagram \(flowchart/ })).toBeVisible();
  await expectAccessible(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await answer(page).getByRole("button", { name: "Copy answer" }).click();
  await expect(answer(page).getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(content);
});

test("a wide table keeps its words whole and scrolls on a phone", async ({ page, open }) => {
  await open("/chat");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("textbox", { name: "Message" }).fill("wide grid");
  await page.getByRole("button", { name: "Send" }).click();
  const table = answer(page).getByRole("table");
  await expect(table.getByRole("cell", { name: "promote-replica" })).toBeAttached();
  const streamed = await table.elementHandle();
  await expect(answer(page).getByTitle("Duration")).toBeVisible();
  // Offered once the page has the stored answer.
  await expect(page.getByRole("button", { name: "Regenerate" })).toBeEnabled();
  await expect.poll(() => page.evaluate(() => window.__remixRouter.state.revalidation)).toBe("idle");
  // Two frames, in which React draws what was loaded.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  // The table of the streamed answer stays, with what is selected or scrolled in it.
  expect(await streamed?.evaluate((element) => element.isConnected)).toBe(true);
  const measured = await table.evaluate((element) => {
    const words: string[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[a-z]+/gi)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) words.push(word);
      }
    }
    let frame = element.parentElement;
    while (frame && getComputedStyle(frame).overflowX !== "auto") frame = frame.parentElement;
    return { broken: words, isScrolling: frame !== null && frame.scrollWidth > frame.clientWidth };
  });
  expect(measured).toEqual({ broken: [], isScrolling: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("keeps the text of a stopped answer, and Regenerate replaces it", async ({ page, open }) => {
  await open("/chat");
  await send(page, "endless please");
  await expect(page.getByText("word3 ")).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(answer(page)).toContainText("Stopped");
  await expect(answer(page)).toContainText("word3 ");
  await expect(answer(page)).not.toContainText("word199");
  await page.getByRole("button", { name: "Regenerate" }).click();
  await expect(answer(page)).not.toContainText("Stopped");
  await expect(answer(page)).toContainText("word3 ");
});

test("loses nothing when reloaded during an answer", { tag: "@no-javascript" }, async ({
  page,
  open,
  javaScriptEnabled,
}) => {
  await open("/chat");
  await send(page, "a hundred words");
  await expect(page.getByText("word3 ")).toBeVisible();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await page.reload();
  if (javaScriptEnabled === false) await expect(page).toHaveURL(/\/live$/);
  await expect(answer(page)).toContainText("word99", { timeout: 20_000 });
  const text = (await answer(page).innerText()).match(/word\d+/g) ?? [];
  expect(text).toEqual(Array.from({ length: 100 }, (_, index) => `word${index}`));
});

test("the list marks running answers, and unread ones until they are opened", async ({
  page,
  open,
  server,
}) => {
  await open("/chat");
  await send(page, "endless please");
  await expect(page).toHaveURL(/\/chat\/con_/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await expect(page.getByRole("heading", { name: "endless please", level: 2 })).toBeVisible();
  await page.getByRole("link", { name: "Personas" }).first().click();
  await expect(marks(page).locator(`a[href="/chat/${id}"]`)).toContainText("Writing an answer");
  await expect(page.getByRole("heading", { name: "Personas", level: 1 })).toBeVisible();
  await server.ask(`/api/ai/chat/${id}/stop`, { as: "member", method: "POST" });
  // Other tests leave unread answers too.
  const mark = marks(page).locator(`a[href="/chat/${id}"]`);
  await expect(mark).toContainText("Unread answer");
  await mark.click();
  await expect(answer(page)).toContainText("Stopped");
  await expect(mark).not.toContainText("Unread answer");
});

test("an answer whose stream stands still is complete once the page loads again", async ({
  page,
  open,
  server,
}) => {
  await open("/chat");
  await send(page, "endless please");
  await expect(page).toHaveURL(/\/chat\/con_/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await page.route("**/stream", () => undefined);
  const resumed = page.waitForRequest("**/stream");
  await page.reload();
  await resumed;
  await server.ask(`/api/ai/chat/${id}/stop`, { as: "member", method: "POST" });
  await expect(answer(page)).not.toContainText("Stopped");
  await page.locator("#model-picker").selectOption("quarterdeck-offline");
  await expect(answer(page)).toContainText("Stopped");
  await expect(page.getByRole("button", { name: "Regenerate" })).toBeVisible();
});

test("a draft typed while an answer streams survives signing out in another tab", async ({
  browser,
  contextOptions,
  server,
}) => {
  const context = await browser.newContext(contextOptions);
  const page = await context.newPage();
  const signIn = async () => {
    await page.getByLabel("Email").fill(people.member.email);
    await page.getByLabel(/^Password/).fill(people.member.password);
    await page.getByRole("button", { name: "Sign In", exact: true }).click();
  };
  // A session of its own, as it signs out.
  const cookie = await server.signIn(people.member.email, people.member.password);
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  await page.goto(`${server.baseUrl}/chat`);
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  await send(page, "long please");
  await expect(answer(page)).toContainText("word3 ");
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("Half a thought");
  const other = await context.newPage();
  await other.goto(`${server.baseUrl}/settings/profile`);
  await other.locator("aside summary").click();
  await other.getByRole("button", { name: "Sign Out", exact: true }).click();
  const link = page.getByRole("link", { name: "Sign In" }).first();
  // The page shows the link, or leads to the form itself, even while the link is clicked.
  await expect(async () => {
    if (await link.isVisible()) await link.click({ timeout: 2_000 });
    await expect(page.getByLabel("Email")).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await signIn();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await expect(message).toHaveValue("Half a thought");
  await context.close();
});

test("an answer started in another tab is streamed and can be stopped here", async ({ page, open }) => {
  await open("/chat");
  await send(page, "greet me");
  await expect(answer(page)).toContainText("Hello from the other end.");
  await expect(page).toHaveURL(/\/chat\/con_/);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await send(other, "endless please");
  await page.bringToFront();
  await expect(answer(page)).toContainText("word3 ");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(answer(page)).toContainText("Stopped");
  await expect(answer(other)).toContainText("Stopped");
  await other.close();
});

test("an unsaved persona can be tried, and its answer streams", async ({ page, open }) => {
  await open("/personas?dialog=new");
  await page.getByRole("combobox", { name: "Default model" }).selectOption(AIMOCK_MODEL);
  const trial = page.getByRole("region", { name: "Try it" });
  await trial.getByRole("button", { name: "Ask" }).click();
  await expect(trial.getByRole("alert")).toHaveText("Enter a question");
  await trial.getByRole("textbox", { name: "Question" }).fill("a hundred words");
  await trial.getByRole("button", { name: "Ask" }).click();
  await expect(trial.getByRole("status")).toContainText("word3 ");
  await expect(trial.getByRole("status")).not.toContainText("word99");
  await expect(trial.getByRole("alert")).toHaveCount(0);
  const ask = trial.getByRole("button", { name: "Ask" });
  await page.route("**/api/personas/try", (route) => route.fulfill({ body: "data: <html>\n\n" }), {
    times: 1,
  });
  await ask.click();
  await expect(trial.getByRole("alert")).toHaveText("The answer was interrupted. Try again.");
  await page.route("**/api/personas/try", (route) => route.abort(), { times: 1 });
  await ask.click();
  await expect(trial.getByRole("alert")).toContainText("The server can't be reached.");
});

test("a long conversation opens at its end; on a phone the settings are a sheet", async ({
  page,
  open,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const text = "A line of the story.\n\n".repeat(60);
  const sent = await server.ask("/api/ai/chat", {
    as: "member",
    json: { model: "quarterdeck-offline", messages: [{ role: "user", content: text }], tools: [] },
  });
  await sent.text();
  await open(`/chat/${sent.headers.get("x-conversation-id")}`);
  await expect(page.getByRole("heading", { level: 2 })).toContainText(["A line of the story."]);
  await expect(answer(page)).toBeInViewport();
  await expect(page.getByRole("button", { name: "Send" })).toBeInViewport({ ratio: 1 });
  const settings = page.getByRole("complementary", { name: "Chat Settings" });
  await expect(settings).toBeHidden();
  await page.getByRole("link", { name: /^Chat settings/ }).click();
  await expect(settings.getByRole("slider", { name: "Max Steps" })).toBeVisible();
  await expectAccessible(page);
  await settings.getByRole("link", { name: "Close chat settings" }).click();
  await expect(settings).toBeHidden();
});

test("a title proposed by the model replaces the first words", async ({ page, open, server }) => {
  const turn = (proposeTitles: boolean) =>
    server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json: { ai: { proposeTitles } } });
  await turn(true);
  try {
    await open("/chat");
    await send(page, "greet the harbor master");
    await expect(answer(page)).toContainText("Hello from the other end.");
    const title = page.getByRole("heading", { level: 2, name: "Hello from the other end", exact: true });
    await expect(title).toBeVisible();
  } finally {
    await turn(false);
  }
});

test("applies a persona's model and tools, and names the model that answers", async ({
  page,
  open,
  server,
}) => {
  const made = await server.ask("/api/personas", {
    as: "member",
    json: { name: "Scout of models", defaultModel: AIMOCK_MODEL, tools: ["kv.get"] },
  });
  const { id } = (await made.json()) as { id: string };
  await open("/chat");
  await openSettings(page);
  const model = page.getByRole("combobox", { name: "Model", exact: true }).last();
  await model.selectOption("quarterdeck-offline");
  await page.getByRole("textbox", { name: "Message" }).fill("greet me");
  await page.getByRole("combobox", { name: "Persona" }).selectOption("Scout of models");
  const use = page.getByRole("button", { name: "Use Persona" });
  await expect(use).toBeHidden();
  await expect(model).toHaveValue(AIMOCK_MODEL);
  await expect(page.getByRole("checkbox", { name: /kv\.get/ })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: /web\.fetch/ })).not.toBeChecked();
  await expect(page.getByText(`Answers with its default model, ${AIMOCK_MODEL}`)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("greet me");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answer(page)).toContainText("Hello from the other end.");
  await expect(answer(page)).toContainText(`${AIMOCK_MODEL} · Mock`);
  await expect(answer(page).getByTitle("Duration")).toBeVisible();
  await server.ask(`/api/personas/${id}`, { as: "member", method: "DELETE" });
});
