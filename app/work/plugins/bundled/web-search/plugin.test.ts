import { afterEach, beforeEach, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../../tests/support/mock-server";
import { configurePlugin, installPlugin } from "../../install.service.server";
import { startPlugins } from "../../plugin-tools.service.server";

let test: ReturnType<typeof openTestDatabase>;
let web: MockServer;
let answer: { status: number; body: unknown };
let stop: () => void;
beforeEach(async () => {
  web = await startMockServer((_, response) =>
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(JSON.stringify(answer.body)),
  );
  process.env.QUARTERDECK_KEY_SEARCH = "search-secret";
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${web.port}` });
  stop = startPlugins();
  installPlugin(test.actors.admin, "web-search");
});
afterEach(async () => {
  stop();
  delete process.env.QUARTERDECK_KEY_SEARCH;
  test.close();
  await web.close();
});

function configure(service: string): void {
  const key = { provider: "other", alias: "QUARTERDECK_KEY_SEARCH", origin: web.origin } as const;
  const settings = {
    service,
    address: web.origin,
    key: addKey(test.actors.admin, key).id,
  };
  configurePlugin(test.actors.admin, "web-search", { settings });
}
const search = (input: object) =>
  callTool(test.actors.member, "web-search.search", input, {
    source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
    signal: new AbortController().signal,
    approval: "given",
  });

const page = { title: "Tide  tables", url: "https://example.org/tides" };

it.each([
  {
    service: "Brave",
    body: {
      web: { results: [{ ...page, description: "High at\nnoon." }, page, { url: "ftp://example.org" }] },
    },
    asked: ["GET", "/res/v1/web/search?q=tides&count=3&text_decorations=false&freshness=pw"],
    key: ["x-subscription-token", "search-secret"],
  },
  {
    service: "Tavily",
    body: { results: [{ ...page, content: "High at noon.", score: 0.9 }] },
    asked: ["POST", "/search"],
    key: ["authorization", "Bearer search-secret"],
  },
  {
    service: "SearXNG",
    body: { results: [{ ...page, content: "High at noon.", publishedDate: null }] },
    asked: ["GET", "/search?q=tides&format=json&time_range=month"],
    key: ["authorization", "Bearer search-secret"],
  },
])("searches with $service, and numbers what it found once each", async ({ service, body, asked, key }) => {
  configure(service);
  answer = { status: 200, body };
  expect(await search({ query: "tides", limit: 3, since: "week" })).toMatchObject({
    ok: true,
    output: {
      query: "tides",
      about: expect.stringContaining("[number](url)"),
      results: [{ number: 1, title: "Tide tables", url: "https://example.org/tides", text: "High at noon." }],
    },
  });
  const [request] = web.requests;
  const [name = "", value] = key;
  expect([request?.method, request?.url, request?.headers[name]]).toEqual([...asked, value]);
});

it.each([
  ["Brave", 429, { message: "Slow down" }, "returned HTTP 429 Too Many Requests: "],
  ["Tavily", 200, { detail: [] }, "Tavily answered in an unknown form."],
  ["SearXNG", 403, "Forbidden", "Add json to search.formats in its settings.yml"],
] as const)("says what to do where %s can't search: %j %j", async (service, status, body, error) => {
  configure(service);
  answer = { status, body };
  expect(await search({ query: "tides" })).toMatchObject({
    ok: false,
    error: expect.stringContaining(error),
  });
});

it("isn't saved without what the chosen service needs", () => {
  const save = (settings: Record<string, string>) =>
    configurePlugin(test.actors.admin, "web-search", { settings });
  const refused = (name: string, message: string) =>
    expect.objectContaining({ fields: { [name]: [message] } });
  expect(() => save({ service: "SearXNG", address: "" })).toThrow(refused("address", "Address is required"));
  expect(() => save({ service: "Tavily", key: "" })).toThrow(refused("key", "Key is required"));
  expect(() => save({ service: "SearXNG" })).toThrow(refused("address", "Address is required"));
  save({ service: "SearXNG", address: web.origin, key: "" });
});
