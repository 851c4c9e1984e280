import type { LLMock } from "@copilotkit/aimock";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, IS_FULL, openSettings, test } from "../support/fixtures";
import { openScripted, type Script } from "../support/mcp-server";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let mock: LLMock;
let provider: string;

test.use({ role: "admin" });

test.beforeAll(async ({ server }) => {
  mock = await startAimock();
  mock
    // The picture follows the result as a message of its own.
    .on({ userMessage: "of the result of mcp-lab.draw" }, { content: "Here is your chart." })
    .on({ userMessage: "chart" }, { toolCalls: [{ id: "call_1", name: "mcp-lab__draw", arguments: {} }] });
  const json = {
    provider: "custom",
    displayName: "Mock",
    enabled: true,
    config: { baseUrl: `${mock.url}/v1`, models: [AIMOCK_MODEL] },
  };
  const made = await server.ask("/api/providers", { as: "owner", json });
  ({ id: provider } = (await made.json()) as { id: string });
});

test.afterAll(async ({ server }) => {
  await server.ask(`/api/providers/${provider}`, { as: "owner", method: "DELETE" });
  await server.ask("/api/plugins/mcp-lab/install", { as: "owner", method: "DELETE" });
  await mock.stop();
});

test("the progress of an MCP server's tool is shown in the chat, and then its picture", async ({
  page,
  open,
  server,
}) => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const script: Script = {
    tools: [{ name: "draw", description: "Draws a chart." }],
    before: (_, progressToken) => [
      {
        method: "notifications/progress",
        params: { progressToken, progress: 3, total: 4, message: "Drawing axes" },
      },
    ],
    until,
    call: () => ({ content: [{ type: "image", mimeType: "image/png", data: PNG }] }),
  };
  const lab = await openScripted(script);
  try {
    const allowed = await server.ask("/api/system/egress/allow", {
      as: "owner",
      method: "PUT",
      json: { allow: [`127.0.0.1:${lab.port}`] },
    });
    expect(allowed.status, await allowed.clone().text()).toBeLessThan(300);

    const json = { title: "Lab", url: lab.url };
    const added = await server.ask("/api/mcp-servers", { as: "admin", json });
    expect(added.status, await added.clone().text()).toBe(201);
    const { tools } = (await added.json()) as { tools: { name: string; hash: string }[] };
    const choice = { allowed: tools.map(({ name, hash }) => `${name}#${hash}`) };
    const decided = await server.ask("/api/mcp-servers/mcp-lab/tools", {
      as: "admin",
      method: "PUT",
      json: choice,
    });
    expect(decided.status).toBe(200);

    await open("/chat");
    await openSettings(page);
    await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption(AIMOCK_MODEL);
    await page.getByRole("checkbox", { name: /mcp-lab\.draw/ }).check();
    await page.getByRole("textbox", { name: "Message" }).fill("chart please");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("article", { name: "Assistant" }).last();
    await expect(answer.getByRole("progressbar")).toHaveAttribute("value", "3");
    await expect(answer).toContainText("Drawing axes");
    finish();
    await expect(answer).toContainText("Here is your chart.");
    await expect(answer.getByRole("progressbar")).toHaveCount(0);
    const image = answer.getByRole("img", { name: "image" });
    await expect(image).toHaveJSProperty("naturalWidth", 1);
    await expect(image).toHaveAttribute("src", /^\/api\/tool-files\/tfl_/);
    await expectAccessible(page);
    if (!IS_FULL) return;
    script.tools = [{ name: "draw", description: "Draws a chart.\nIt reads the data from a file." }];
    await server.ask("/api/mcp-servers/mcp-lab/refresh", { as: "admin", method: "POST" });
    await open("/extensions?tab=installed&dialog=tools&id=mcp-lab");
    await expect(page.getByRole("dialog").getByText("It reads the data from a file.").first()).toBeVisible();
    await expectAccessible(page);
  } finally {
    finish();
    await server.ask("/api/system/egress/allow", { as: "owner", method: "PUT", json: { allow: [] } });
    await lab.close();
  }
});

test("the tools of a server with hundreds are found and allowed together", { tag: "@no-javascript" }, async ({
  page,
  open,
  server,
}) => {
  const lab = await openScripted({
    tools: Array.from({ length: 300 }, (_, at) => ({
      name: at === 7 ? "zero\u200bwidth" : `${at % 10 === 0 ? "find" : "change"}_record_${at}`,
      description: `${at % 10 === 0 ? "Finds" : "Changes"} records of the table number ${at} and returns them as a list.`,
    })),
  });
  try {
    const allow = [`127.0.0.1:${lab.port}`];
    await server.ask("/api/system/egress/allow", { as: "owner", method: "PUT", json: { allow } });
    const json = { title: "Records", url: lab.url };
    expect((await server.ask("/api/mcp-servers", { as: "admin", json })).status).toBe(201);
    await open("/extensions?tab=installed&dialog=tools&id=mcp-records");
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText("1 to 50 of 300")).toBeVisible();
    await expect(dialog.getByText("It can't be allowed. Its name contains invisible")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("searchbox", { name: "Search tools" }).fill("finds");
    await dialog.getByRole("button", { name: "Search" }).click();
    await expect(dialog.getByText("0 of 300 tools allowed, 30 found")).toBeVisible();
    await dialog.getByRole("button", { name: "Allow Shown" }).click();
    await expect(dialog.getByText("30 of 300 tools allowed, 30 found")).toBeVisible();
    await expect(dialog.getByRole("checkbox", { name: /find_record_290/ })).toBeChecked();
  } finally {
    await server.ask("/api/plugins/mcp-records/install", { as: "owner", method: "DELETE" });
    await server.ask("/api/system/egress/allow", { as: "owner", method: "PUT", json: { allow: [] } });
    await lab.close();
  }
});
