import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import { rawDatabase } from "~/core/db.server";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { EVERYTHING_SERVER } from "../support/everything";
import { test as base, expect, expectAccessible, openSettings } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";
import { startServer, type TestServer } from "../support/server";

const FORM = "trigger-elicitation-request";
const LINK = "trigger-url-elicitation";

/** A server that is killed, with a model and a local command whose tools ask the person. */
const test = base.extend<object, { mock: LLMock; own: TestServer }>({
  mock: [
    async ({ playwright: _ }, use) => {
      const mock = await startAimock();
      const calls = (name: string, input: Record<string, unknown>) => ({
        toolCalls: [{ id: "call_1", name: `mcp-local__${name}`, arguments: input }],
      });
      mock
        .on({ userMessage: /^ask me/, hasToolResult: true }, { content: "Thank you." })
        .on({ userMessage: "ask me by a link" }, calls(LINK, { url: "https://sign-in.example/a?b=c" }))
        .on({ userMessage: "ask me" }, calls(FORM, {}));
      await use(mock);
      await mock.stop();
    },
    { scope: "worker" },
  ],
  own: [
    async ({ hubs, mock }, use) => {
      const server = await startServer({
        env: { ...hubs.env, MCP_COMMANDS: `everything=${process.execPath} ${EVERYTHING_SERVER} stdio` },
      });
      const put = async (path: string, json: unknown, method = "PUT") => {
        const response = await server.ask(path, { as: "owner", method, json });
        expect(response.ok, await response.clone().text()).toBe(true);
        return (await response.json()) as { id: string; tools: { name: string; hash: string }[] };
      };
      const config = { baseUrl: `${mock.url}/v1`, models: [AIMOCK_MODEL] };
      await put("/api/providers", { provider: "custom", displayName: "Mock", enabled: true, config }, "POST");
      const { id, tools } = await put("/api/mcp-servers", { title: "Local", command: "everything" }, "POST");
      const asking = tools.filter(({ name }) => name === FORM || name === LINK);
      await put(`/api/mcp-servers/${id}/tools`, {
        allowed: asking.map(({ name, hash }) => `${name}#${hash}`),
      });
      for (const { name } of asking) await put(`/api/tools/mcp-local.${name}/policy`, { policy: "always" });
      await use(server);
      await server.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  server: async ({ own }, use) => use(own),
});

test.use({
  role: "member",
  // Remix reports that the process was killed.
  expected: /^Failed to fetch manifest patches TypeError: Failed to fetch/,
});

const answer = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();
const question = (page: Page) => page.getByRole("region", { name: "Question of Local" });
const press = (page: Page, name: string) => question(page).getByRole("button", { name }).click();

async function send(page: Page, text: string, tool = FORM) {
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
  await page.getByRole("checkbox", { name: new RegExp(`^mcp-local\\.${tool}\\b(?!-)`) }).check();
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

test("a tool's question is answered in its form, and the answer goes on", { tag: "@no-javascript" }, async ({
  page,
  open,
  mock,
  javaScriptEnabled,
}) => {
  // Without JavaScript the page keeps loading while the call waits.
  const checkPage = async () => {
    if (javaScriptEnabled !== false) await expectAccessible(page);
  };
  await open("/chat");
  await send(page, "ask me");
  await expect(question(page)).toContainText("Never enter passwords");
  await checkPage();
  await question(page).getByLabel("Integer").fill("7");
  await press(page, "Send Answer");
  await expect(question(page)).toContainText("Enter a value");
  await expect(question(page).getByLabel("Integer")).toHaveValue("7");
  await checkPage();
  await question(page)
    .getByRole("textbox", { name: /^String$|^String\*$/ })
    .fill("Ada");
  await question(page).getByRole("checkbox", { name: "Piano" }).check();
  await question(page).getByLabel("Legacy Titled").selectOption("Birds");
  await press(page, "Send Answer");
  await expect(answer(page)).toContainText("Thank you.");
  const sent = JSON.stringify(mock.getLastRequest()?.body);
  for (const text of ["- Name: Ada", "Favorite Integer: 7", "Piano", "pet-3"]) expect(sent).toContain(text);
  await answer(page).locator("summary", { hasText: FORM }).click();
  await expect(answer(page).getByRole("region", { name: "Your answer" })).toContainText("Ada");
});

test("a link is named with its host and opened by nobody but the person", async ({ page, open, mock }) => {
  await open("/chat");
  await send(page, "ask me by a link", LINK);
  const link = question(page).getByRole("link", { name: "Open sign-in.example" });
  await expect(link).toHaveAttribute("href", "https://sign-in.example/a?b=c");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expectAccessible(page);
  await press(page, "Decline");
  await expect(answer(page)).toContainText("Thank you.");
  expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("User declined to open the URL");
});

test("a question that waits while the console is killed says so, and its call can run again", async ({
  page,
  open,
  own,
}) => {
  await open("/chat");
  await send(page, "ask me");
  await expect(question(page)).toBeVisible();
  // An answer's events are stored a moment after they are shown.
  const stored = () =>
    writeDatabase(own, () =>
      rawDatabase()
        .prepare("SELECT count(*) FROM answer_events WHERE events LIKE '%data-tool-question%'")
        .pluck()
        .get(),
    );
  await expect.poll(stored).toBeGreaterThan(0);
  await own.kill();
  await own.start();
  const call = page.getByRole("region", { name: `Approve mcp-local.${FORM}` });
  await expect(call).toContainText("It had asked you a question, which can't be answered any more.");
  await expect(question(page)).toHaveCount(0);
  await call.getByRole("button", { name: "Run Again" }).click();
  await press(page, "Dismiss");
  await expect(answer(page)).toContainText("Thank you.");
});
