import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { OpenAI } from "../../../../tests/support/sdks";
import { type ResponsesEvent, ResponsesEvents } from "./openai-responses.events";
import { type OutputItem, type ResponseBody, toResponsesBody } from "./openai-responses.response";
import { ResponsesSettings } from "./openai-responses.schema";

type Official = OpenAI.Responses.Response;
type OfficialEvent = OpenAI.Responses.ResponseStreamEvent;

const META = {
  id: "resp_1",
  created: 1_700_000_000,
  model: "m",
  settings: ResponsesSettings.parse({
    instructions: "Be brief.",
    temperature: 0.5,
    metadata: { a: "b" },
    tools: [
      { type: "custom", name: "run" },
      { type: "namespace", name: "clock", tools: [{ type: "function", name: "now" }] },
    ],
  }),
};
const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const UNKNOWN: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const finish = (unified: "stop" | "length" | "content-filter", usage = USAGE): LanguageModelV3StreamPart => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage,
});

const ANSWER: LanguageModelV3StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "reasoning-delta", id: "r", delta: "Hm." },
  { type: "text-delta", id: "t", delta: "" },
  { type: "text-delta", id: "t", delta: "Grüße" },
  { type: "text-delta", id: "t", delta: " 👋" },
  // Two interleaved tool calls, as OpenAI's models may send them.
  { type: "tool-input-start", id: "a", toolName: "add" },
  { type: "tool-input-start", id: "b", toolName: "run" },
  { type: "tool-input-delta", id: "a", delta: '{"x":' },
  { type: "tool-input-delta", id: "b", delta: '{"input":"ls -l"}' },
  { type: "tool-call", toolCallId: "b", toolName: "run", input: '{"input":"ls -l"}' },
  { type: "tool-input-delta", id: "a", delta: "1}" },
  { type: "tool-call", toolCallId: "a", toolName: "add", input: '{"x":1}' },
  { type: "tool-call", toolCallId: "c", toolName: "clock__now", input: "" },
];
const ITEMS = [
  { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "Grüße 👋" }] },
  { type: "function_call", call_id: "a", name: "add", arguments: '{"x":1}', status: "completed" },
  { type: "custom_tool_call", call_id: "b", name: "run", input: "ls -l" },
  { type: "function_call", call_id: "c", name: "now", namespace: "clock", arguments: "{}" },
];

function eventsOf(parts: LanguageModelV3StreamPart[], packed?: string): ResponsesEvent[] {
  const events = new ResponsesEvents(META);
  return parts.flatMap((part) => {
    if (part.type === "finish" && packed) events.keep(packed);
    return events.take(part);
  });
}
const frames = (events: readonly ResponsesEvent[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** A mock server that sends what it is given, for the official client to read. */
let body = "";
const server = createServer((_, response) => {
  response.setHeader("content-type", body.startsWith("event:") ? "text/event-stream" : "application/json");
  response.end(body);
});
let client: OpenAI;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: "k", baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
});
afterAll(() => server.close());

describe("a streamed response as the Responses API's events", () => {
  it("has the form of the official client's types", () => {
    expectTypeOf<OutputItem>().toExtend<OpenAI.Responses.ResponseOutputItem>();
    // The client adds the text itself; what the caller said is repeated as it was.
    type Repeated = "output_text" | "tools" | "tool_choice" | "text" | "reasoning";
    expectTypeOf<Omit<ResponseBody, Repeated>>().toExtend<Omit<Official, Repeated>>();
    type Own = Exclude<ResponsesEvent, { response: ResponseBody }>;
    expectTypeOf<Own>().toExtend<OfficialEvent>();
  });

  it("has one item open at a time, each begun, filled and ended, in numbered events", () => {
    const events = eventsOf([...ANSWER, finish("stop")], "qd1.x");
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    let open: number | undefined;
    let next = 0;
    for (const event of events) {
      if (event.type === "response.output_item.added") {
        expect([open, event.output_index]).toEqual([undefined, next++]);
        open = event.output_index;
      } else if (event.type === "response.output_item.done") {
        expect(event.output_index).toBe(open);
        open = undefined;
      } else if ("output_index" in event) expect(event.output_index).toBe(open);
    }
    expect([open, next]).toEqual([undefined, 6]);
  });

  it("emits the events of a text and of thoughts in the order of the protocol", () => {
    const names = eventsOf([...ANSWER.slice(0, 4), finish("stop")], "qd1.x").map(({ type }) => type);
    expect(names.map((name) => name.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "output_item.done",
      "completed",
    ]);
    expect(eventsOf([finish("stop")]).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
  });

  it("is put together by the official client", async () => {
    body = frames(eventsOf([...ANSWER, finish("stop")], "qd1.x"));
    const final = await client.responses.stream({ model: "m", input: "Hi" }).finalResponse();
    expect(final).toMatchObject({
      id: "resp_1",
      status: "completed",
      output_text: "Grüße 👋",
      output: [...ITEMS, { type: "reasoning", summary: [], encrypted_content: "qd1.x" }],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 15,
      },
      store: false,
      instructions: "Be brief.",
      temperature: 0.5,
      metadata: { a: "b" },
    });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content-filter", "content_filter"],
  ] as const)("says by %s that it is incomplete", (unified, reason) => {
    const last = eventsOf([...ANSWER.slice(0, 6), finish(unified, UNKNOWN)]).at(-1);
    expect(last).toMatchObject({
      type: "response.incomplete",
      response: {
        status: "incomplete",
        incomplete_details: { reason },
        output: [{}, { status: "completed" }, { status: "incomplete", arguments: "" }],
      },
    });
    expect(last).not.toHaveProperty("response.usage");
  });

  it("hides tools that the provider ran", () => {
    const parts: LanguageModelV3StreamPart[] = [
      { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
      { type: "tool-call", toolCallId: "s", toolName: "web_search", input: "{}", providerExecuted: true },
    ];
    expect(eventsOf(parts)).toEqual([]);
  });

  it("ends where it is too long to be repeated at its end", () => {
    const part = { type: "text-delta" as const, id: "t", delta: "x".repeat(16 * 1024 * 1024) };
    const events = new ResponsesEvents(META);
    events.take(part);
    events.take(part);
    expect(() => events.take(part)).toThrow("longer than 32 MB");
  });

  it("counts what waits behind an open call, too", () => {
    const part = { type: "text-delta" as const, id: "t", delta: "x".repeat(16 * 1024 * 1024) };
    const events = new ResponsesEvents(META);
    events.take(part);
    events.take({ type: "tool-input-start", id: "c", toolName: "run" });
    events.take(part);
    expect(() => events.take({ ...part, delta: "x" })).toThrow("longer than 32 MB");
  });

  it("keeps a custom tool's input that a model didn't wrap", () => {
    const call = { type: "tool-call" as const, toolCallId: "b", toolName: "run", input: "ls" };
    expect(eventsOf([call, finish("stop")]).at(-1)).toMatchObject({
      response: { output: [{ input: "ls" }] },
    });
  });
});

describe("a whole response as the Responses API's", () => {
  const content = [
    { type: "reasoning" as const, text: "Hm." },
    { type: "text" as const, text: "Grüße 👋" },
    { type: "tool-call" as const, toolCallId: "a", toolName: "add", input: '{"x":1}' },
    { type: "tool-call" as const, toolCallId: "b", toolName: "run", input: '{"input":"ls -l"}' },
    { type: "tool-call" as const, toolCallId: "c", toolName: "clock__now", input: "" },
  ];
  const result = (unified: "stop" | "length", usage = USAGE) => ({
    content,
    finishReason: { unified, raw: unified },
    usage,
    warnings: [],
  });

  it("is read by the official client", async () => {
    body = JSON.stringify(toResponsesBody(result("stop"), META, "qd1.x"));
    expect(await client.responses.create({ model: "m", input: "Hi" })).toMatchObject({
      object: "response",
      status: "completed",
      incomplete_details: null,
      output_text: "Grüße 👋",
      output: [...ITEMS, { type: "reasoning", encrypted_content: "qd1.x" }],
      usage: { total_tokens: 15 },
    });
  });

  it("says that it is incomplete, and has no usage that isn't known", () => {
    const response = toResponsesBody(result("length", UNKNOWN), META);
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      completed_at: null,
    });
    expect(response.output.at(-1)).toMatchObject({ status: "incomplete" });
    expect(response).not.toHaveProperty("usage");
  });
});

it("says where a model made an image", () => {
  const note = "[The model made an image, which isn't shown here.]";
  const images = { providerMetadata: { openaiCompatible: { images: ["iVBORw0="] } } };
  const last = eventsOf([
    { type: "text-delta", id: "t", delta: "Here." },
    { ...finish("stop"), ...images } as LanguageModelV3StreamPart,
  ]).at(-1);
  const said = (text: string) => ({ output: [{ content: [{ text }] }] });
  expect(last).toMatchObject({ response: said(`Here.\n\n${note}`) });
  const finishReason = { unified: "stop" as const, raw: "stop" };
  const whole = toResponsesBody({ content: [], finishReason, usage: USAGE, warnings: [], ...images }, META);
  expect(whole).toMatchObject(said(note));
});
