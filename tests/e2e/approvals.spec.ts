import type { LLMock } from "@copilotkit/aimock";
import type { Locator, Page } from "@playwright/test";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { EVERYTHING_SERVER } from "../support/everything";
import { test as base, expect, expectAccessible, IS_FULL, openSettings } from "../support/fixtures";
import { gate } from "../support/hold";
import { startServer, type TestServer } from "../support/server";
import { signInAgain } from "../support/sign-in-again";

/** A server that is killed, with a model and a local command whose tools need approval. */
const test = base.extend<object, { mock: LLMock; own: TestServer }>({
  mock: [
    async ({ playwright: _ }, use) => {
      const mock = await startAimock();
      const echo = (id: string, message: string) => ({
        id,
        name: "mcp-local__echo",
        arguments: { message },
      });
      mock
        .on({ userMessage: "say it", hasToolResult: true }, { content: "That is said." })
        .on({ userMessage: "say it twice" }, { toolCalls: [echo("call_1", "one"), echo("call_2", "two")] })
        .on({ userMessage: "say it" }, { toolCalls: [echo("call_1", "one")] });
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
      const allowed = tools.filter(({ name }) => name === "echo").map(({ name, hash }) => `${name}#${hash}`);
      await put(`/api/mcp-servers/${id}/tools`, { allowed });
      await put("/api/tools/mcp-local.echo/policy", { policy: "ask" });
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
const calls = (page: Page) => page.getByRole("region", { name: "Approve mcp-local.echo" });

async function send(page: Page, text: string) {
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
  await page.getByRole("checkbox", { name: /mcp-local\.echo/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("a refused call doesn't run, and the model gets the reason", async ({ page, open, mock }) => {
  await open("/chat");
  await send(page, "say it");
  await calls(page).locator("summary", { hasText: "Refuse" }).click();
  await calls(page).getByRole("textbox", { name: "Reason for the model" }).fill("Not on a Sunday");
  await expectAccessible(page);
  await calls(page).getByRole("button", { name: "Refuse Call" }).click();
  await expect(answer(page)).toContainText("That is said.");
  expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("Not on a Sunday");
  await page.reload();
  const call = answer(page).locator("summary", { hasText: "mcp-local.echo" });
  await expect(call).toContainText("refused");
  await call.click();
  await expect(answer(page).getByRole("region", { name: "Refusal" })).toContainText(
    "Reason: Not on a Sunday",
  );
  await expect(answer(page).getByRole("region", { name: "Result" })).toHaveCount(0);
});

if (IS_FULL)
  test("what is approved for a conversation is accessible, and is withdrawn", async ({ page, open, own }) => {
    // What comes from outside, such as this server's answers, ends approvals.
    const policy = { as: "owner", method: "PUT", json: { policy: "ask" } } as const;
    expect((await own.ask("/api/tools/kv.set/policy", policy)).ok).toBe(true);
    await open("/chat");
    await openSettings(page);
    await page.getByRole("checkbox", { name: /^kv\.set/ }).check();
    await send(page, "remember");
    await page.getByRole("button", { name: "Approve for This Conversation" }).click();
    await expect(answer(page)).toContainText("I have kept it.");
    const withdraw = page.getByRole("button", { name: "Withdraw the approval of kv.set" });
    await expect(withdraw).toBeVisible();
    await expectAccessible(page);
    await withdraw.click();
    await expect(withdraw).toHaveCount(0);
  });

test("what was typed for one call outlasts the session, in view, and not for another call", async ({
  page,
  open,
}) => {
  await open("/chat");
  await send(page, "say it twice");
  const [first, second] = [calls(page).first(), calls(page).last()];
  const input = (call: Locator) => call.getByLabel("Arguments as JSON");
  const reason = (call: Locator) => call.getByLabel("Reason for the model");
  await first.locator("summary", { hasText: "Edit Arguments" }).click();
  await input(first).fill('{"message": "half a word"}');
  await second.locator("summary", { hasText: "Refuse" }).click();
  await reason(second).fill("Once is enough");
  await page.context().clearCookies();
  await second.getByRole("button", { name: "Refuse Call" }).click();
  await expect(page.getByText("Couldn't send the decision")).toBeVisible();
  await page.reload();
  await signInAgain(page, "member");
  await expect(input(first)).toHaveValue('{"message": "half a word"}');
  await expect(reason(second)).toHaveValue("Once is enough");
  await expect(input(second)).toBeHidden();
  await expect(input(second)).toHaveValue(/"two"/);
  await expect(reason(first)).toBeHidden();
  await expect(reason(first)).toHaveValue("");
  await second.getByRole("button", { name: "Refuse Call" }).click();
  await expect(calls(page)).toHaveCount(1);
  await first.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(calls(page)).toHaveCount(0);
});

test("calls still wait after a crash, also one whose other call was decided before", async ({
  page,
  open,
  own,
  mock,
}) => {
  await open("/chat");
  await send(page, "say it twice");
  await expect(calls(page)).toHaveCount(2);
  await calls(page).first().getByRole("button", { name: "Approve", exact: true }).click();
  await expect(calls(page)).toHaveCount(1);
  await expect(answer(page)).toContainText("Approved. It runs once the other calls are decided.");
  await own.kill();
  await own.start();
  // The page stays open, as on a laptop that was closed. A state that the crash cut off is loaded again.
  await expect(calls(page)).toHaveCount(1);
  await calls(page).locator("summary", { hasText: "Refuse" }).click();
  await calls(page).getByRole("button", { name: "Refuse Call" }).click();
  await expect(answer(page)).toContainText("That is said.");
  const sent = JSON.stringify(mock.getLastRequest()?.body);
  expect(sent).toContain("Echo: one");
  expect(sent).not.toContain("Echo: two");
  await page.reload();
  await expect(answer(page).locator("summary", { hasText: "mcp-local.echo" })).toContainText([
    "done",
    "refused",
  ]);
});

test("a page whose reload a crash cut off goes on by itself", async ({ page, open, own }) => {
  await open("/chat");
  await send(page, "say it twice");
  await expect(calls(page)).toHaveCount(2);
  const { opened, open: release } = gate();
  let isHeld = false;
  await page.route(/\/chat\/[^/]+\.data/, async (route) => {
    isHeld = true;
    await opened;
    await route.abort("connectionreset");
  });
  await calls(page).first().getByRole("button", { name: "Approve", exact: true }).click();
  await expect(answer(page)).toContainText("Approved. It runs once the other calls are decided.");
  await expect.poll(() => isHeld).toBe(true);
  await own.kill();
  release();
  const bar = page.getByRole("status").filter({ hasText: "The server can't be reached" });
  await expect(bar).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
  await own.start();
  await expect(bar).toHaveCount(0);
  await expect(calls(page)).toHaveCount(1);
  const conversation = page.url().match(/con_\w+/)?.[0];
  const decided = await own.ask(`/api/ai/chat/${conversation}/approvals`, {
    as: "member",
    json: { toolCallId: "call_2", decision: "refuse" },
  });
  expect(decided.status, await decided.clone().text()).toBe(200);
  await expect(answer(page)).toContainText("That is said.");
});

test("a decision isn't undone by a page that was loaded before it", async ({ page, open }) => {
  await open("/chat");
  const { opened, open: release } = gate();
  let isHeld = false;
  await page.route(/\/chat\/[^/]+\.data/, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes('"waiting"')) isHeld = true;
    await opened;
    // The page may no longer want it.
    await route.fulfill({ response }).catch(() => undefined);
  });
  await send(page, "say it twice");
  await expect.poll(() => isHeld).toBe(true);
  await calls(page).first().getByRole("button", { name: "Approve", exact: true }).click();
  const decided = answer(page).getByText("Approved. It runs once the other calls are decided.");
  await expect(decided).toBeVisible();
  release();
  await page.unrouteAll({ behavior: "wait" });
  await expect.poll(() => page.evaluate(() => window.__remixRouter.state.revalidation)).toBe("idle");
  await page.evaluate(() => new Promise((drawn) => requestIdleCallback(drawn)));
  await expect(calls(page)).toHaveCount(1);
  await expect(decided).toBeVisible();
});
