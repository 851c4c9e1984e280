import { afterEach, beforeEach, expect, it } from "vitest";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { db, transaction } from "~/core/db.server";
import { addKey } from "~/team/keys/keys.service.server";
import { usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../../tests/support/mock-server";
import { configurePlugin, installPlugin } from "../../install.service.server";
import { startPlugins } from "../../plugin-tools.service.server";

let test: ReturnType<typeof openTestDatabase>;
let provider: MockServer;
let events: readonly object[];
let stop: () => void;
beforeEach(async () => {
  provider = await startMockServer((_, response) => {
    const named = events.map((event) => `event: ${(event as { type?: string }).type ?? "message"}\n`);
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(events.map((event, at) => `${named[at]}data: ${JSON.stringify(event)}\n\n`).join(""));
  });
  process.env.QUARTERDECK_KEY_FAR = "far-secret";
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${provider.port}` });
  stop = startPlugins();
  installPlugin(test.actors.admin, "web-search");
});
afterEach(async () => {
  stop();
  delete process.env.QUARTERDECK_KEY_FAR;
  test.close();
  await provider.close();
});

function configure(
  type: "openai" | "anthropic" | "google" | "openrouter",
  model: string,
  api?: "chat",
): void {
  const { admin } = test.actors;
  const kind = type === "google" ? "gemini" : type;
  const key = addKey(admin, { provider: kind, alias: "QUARTERDECK_KEY_FAR", origin: provider.origin });
  const row = {
    id: "prv_far",
    orgId: admin.orgId,
    type,
    displayName: "Far",
    enabled: true,
    config: { baseUrl: provider.origin, keyId: key.id, ...(api && { api }) },
    models: [{ id: model }],
  };
  const at = { modelsAt: null, priority: 0, createdAt: 1, updatedAt: 1 };
  transaction((tx) => insertProviderRow(tx, { ...row, ...at }));
  configurePlugin(admin, "web-search", { settings: { service: "Model provider", model } });
}
const search = () =>
  callTool(
    test.actors.member,
    "web-search.search",
    { query: "high tide in Bergen", since: "week", limit: 1 },
    {
      source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
      signal: new AbortController().signal,
      approval: "given",
    },
  );

const URL_FOUND = "https://tides.example/bergen";
const TITLE = "Tides of Bergen";
const citation = { type: "url_citation", url: URL_FOUND, title: TITLE, start_index: 0, end_index: 4 };
const usage = { input_tokens: 20, output_tokens: 10 };

const OPENAI = [
  {
    type: "response.created",
    response: {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "gpt-5",
      status: "in_progress",
      output: [],
    },
  },
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "web_search_call", id: "ws_1", status: "in_progress" },
  },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "tide" },
    },
  },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] },
  },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "Noon." },
  {
    type: "response.output_text.annotation.added",
    item_id: "msg_1",
    output_index: 1,
    content_index: 0,
    annotation_index: 0,
    annotation: citation,
  },
  {
    type: "response.output_item.done",
    output_index: 1,
    item: {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Noon.", annotations: [citation] }],
    },
  },
  {
    type: "response.completed",
    response: {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "gpt-5",
      status: "completed",
      output: [],
      incomplete_details: null,
      usage,
    },
  },
];

const found = [
  { type: "web_search_result", url: URL_FOUND, title: TITLE, encrypted_content: "E", page_age: null },
];
const ANTHROPIC = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "c",
      content: [],
      stop_reason: null,
      usage,
    },
  },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"query":"tide"}' },
  },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "web_search_tool_result", tool_use_id: "srv_1", content: found },
  },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Noon." } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
  { type: "message_stop" },
];

const GOOGLE = [
  {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Noon." }] },
        index: 0,
        finishReason: "STOP",
        groundingMetadata: {
          webSearchQueries: ["tide"],
          groundingChunks: [{ web: { uri: URL_FOUND, title: TITLE } }],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
  },
];

const OPENROUTER = [
  {
    id: "gen_1",
    choices: [
      {
        index: 0,
        delta: {
          role: "assistant",
          content: "Noon.",
          annotations: [{ type: "url_citation", url_citation: citation }],
        },
      },
    ],
  },
  {
    id: "gen_1",
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  },
];

it.each([
  {
    type: "openai",
    model: "gpt-5",
    stream: OPENAI,
    asks: { tools: [{ type: "web_search" }] },
    title: TITLE,
    searches: 1,
  },
  {
    type: "anthropic",
    model: "claude-sonnet-4-5",
    stream: ANTHROPIC,
    asks: { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] },
    title: TITLE,
    searches: 1,
  },
  {
    type: "google",
    model: "gemini-2.5-flash",
    stream: GOOGLE,
    asks: { tools: [{ googleSearch: {} }] },
    title: TITLE,
    searches: null,
  },
  // It names addresses alone.
  {
    type: "openrouter",
    model: "gpt-4o",
    stream: OPENROUTER,
    asks: { plugins: [{ id: "web" }] },
    title: "tides.example",
    searches: null,
  },
] as const)(
  "lets $type search, and gives its summary and pages",
  async ({ type, model, stream, asks, title, searches }) => {
    configure(type, model);
    events = stream;
    expect(await search()).toMatchObject({
      ok: true,
      output: { summary: "Noon.", results: [{ number: 1, title, url: URL_FOUND }] },
    });
    const body = JSON.parse(provider.requests[0]?.body ?? "");
    expect(body).toMatchObject(asks);
    expect(JSON.stringify(body)).toContain("Only pages of the last week.");
    expect(db().select().from(usageRecords).all()).toContainEqual(
      expect.objectContaining({
        model,
        inputTokens: 20,
        outputTokens: 10,
        searchUnits: searches,
        outcome: "ok",
      }),
    );
  },
);

it("says that it found nothing where the provider names no page", async () => {
  configure("openrouter", "gpt-4o");
  events = [
    { ...OPENROUTER[0], choices: [{ index: 0, delta: { content: "I think noon." } }] },
    OPENROUTER[1] ?? {},
  ];
  expect(await search()).toMatchObject({
    ok: true,
    output: { results: [], notice: expect.stringContaining("Nothing found") },
  });
});

it("asks no provider that can't search", async () => {
  configure("openai", "gpt-4o", "chat");
  expect(await search()).toMatchObject({
    ok: false,
    error: 'Far offers "gpt-4o", but doesn\'t support this kind of call. Choose another model.',
  });
  expect(provider.requests).toEqual([]);
});
