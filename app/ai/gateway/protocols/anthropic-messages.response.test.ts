import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { Anthropic } from "../../../../tests/support/sdks";
import {
  type ContentBlock,
  type Message,
  type MessageEvent,
  MessageEvents,
  toMessage,
} from "./anthropic-messages.response";

const META = { id: "msg_1", model: "m" };
const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const FINISH = {
  type: "finish" as const,
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage: USAGE,
};

const ANSWER: LanguageModelV3StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "reasoning-delta", id: "r", delta: "Hm." },
  { type: "text-delta", id: "t", delta: "" },
  { type: "text-delta", id: "t", delta: "Grüße" },
  { type: "text-delta", id: "t", delta: " 👋" },
  // Two interleaved tool calls, as OpenAI's models may send them.
  { type: "tool-input-start", id: "a", toolName: "add" },
  { type: "tool-input-start", id: "b", toolName: "sub" },
  { type: "tool-input-delta", id: "a", delta: '{"x":' },
  { type: "tool-input-delta", id: "b", delta: '{"y":2}' },
  { type: "tool-input-end", id: "b" },
  { type: "tool-call", toolCallId: "b", toolName: "sub", input: '{"y":2}' },
  { type: "tool-input-delta", id: "a", delta: "1}" },
  { type: "tool-call", toolCallId: "a", toolName: "add", input: '{"x":1}' },
  { type: "text-delta", id: "u", delta: "Done." },
  FINISH,
];

function eventsOf(parts: LanguageModelV3StreamPart[]): MessageEvent[] {
  const events = new MessageEvents(META);
  return parts.flatMap((part) => events.take(part));
}

let body = "";
const server = createServer((_, response) => {
  response.setHeader("content-type", body.startsWith("event:") ? "text/event-stream" : "application/json");
  response.end(body);
});
let client: Anthropic;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new Anthropic({ apiKey: "k", baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
});
afterAll(() => server.close());

const request = { model: "m", max_tokens: 9, messages: [] };

describe("a streamed response as Anthropic's events", () => {
  it("has the form of the official client's types", () => {
    // The types require `citations`, which the service leaves out and other clients refuse as null.
    type Text = Omit<Anthropic.TextBlock, "citations">;
    expectTypeOf<ContentBlock>().toExtend<Text | Exclude<Anthropic.ContentBlock, Anthropic.TextBlock>>();
    expectTypeOf<Omit<Message, "content">>().toExtend<Omit<Anthropic.Message, "content">>();
    type Own = Exclude<MessageEvent["data"], { type: "ping" | "message_start" | "content_block_start" }>;
    expectTypeOf<Own>().toExtend<Anthropic.RawMessageStreamEvent>();
  });

  it("has one block open at a time, each begun, filled and ended", () => {
    let open: number | undefined;
    let next = 0;
    for (const { data } of eventsOf(ANSWER)) {
      if (data.type === "content_block_start") {
        expect(open).toBeUndefined();
        expect(data.index).toBe(next++);
        open = data.index;
      }
      if (data.type === "content_block_delta") expect(data.index).toBe(open);
      if (data.type === "content_block_stop") {
        expect(data.index).toBe(open);
        open = undefined;
      }
    }
    expect([open, next]).toEqual([undefined, 5]);
    expect(JSON.stringify(eventsOf(ANSWER))).not.toContain("citations");
  });

  it("begins with the message and ends with its stop", () => {
    const names = eventsOf(ANSWER).map(({ event }) => event);
    expect(names.slice(0, 3)).toEqual(["message_start", "ping", "content_block_start"]);
    expect(names.slice(-2)).toEqual(["message_delta", "message_stop"]);
    expect(eventsOf([FINISH]).map(({ event }) => event)).toEqual([
      "message_start",
      "ping",
      "message_delta",
      "message_stop",
    ]);
  });

  it("is put together by the official client", async () => {
    body = eventsOf(ANSWER)
      .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
    const message = await client.messages.stream(request).finalMessage();
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Grüße 👋" },
      { type: "tool_use", id: "a", name: "add", input: { x: 1 } },
      { type: "tool_use", id: "b", name: "sub", input: { y: 2 } },
      { type: "text", text: "Done." },
    ]);
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage).toMatchObject({
      input_tokens: 6,
      output_tokens: 5,
      cache_read_input_tokens: 4,
    });
  });

  it("hides tools that the provider ran", () => {
    const parts: LanguageModelV3StreamPart[] = [
      { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "s", delta: "{}" },
      { type: "tool-call", toolCallId: "s", toolName: "web_search", input: "{}", providerExecuted: true },
    ];
    expect(eventsOf(parts)).toEqual([]);
  });
});

describe("a whole response as Anthropic's message", () => {
  it("is read by the official client", async () => {
    const content = [
      { type: "text" as const, text: "Two." },
      { type: "tool-call" as const, toolCallId: "c", toolName: "f", input: '{"a":1}' },
    ];
    const finishReason = { unified: "stop" as const, raw: "STOP" };
    body = JSON.stringify(toMessage({ content, finishReason, usage: USAGE, warnings: [] }, META));
    expect(await client.messages.create(request)).toMatchObject({
      id: "msg_1",
      role: "assistant",
      content: [
        { type: "text", text: "Two." },
        { type: "tool_use", id: "c", name: "f", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 6, output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } },
    });
  });
});

it("says where a model made an image, which no block holds", () => {
  const note = "[The model made an image, which isn't shown here.]";
  const file = { type: "file" as const, mediaType: "image/png", data: "iVBORw0=" };
  const streamed = eventsOf([{ type: "text-delta", id: "t", delta: "Here." }, file, FINISH]);
  expect(JSON.stringify(streamed)).toContain(note);
  const result = { content: [file], finishReason: FINISH.finishReason, usage: USAGE, warnings: [] };
  expect(toMessage(result, META).content).toEqual([{ type: "text", text: note }]);
});

it.each([
  ["a refusal", { unified: "content-filter", raw: "SAFETY" }, undefined, "refusal", null],
  ["the limit", { unified: "length", raw: "length" }, undefined, "max_tokens", null],
  ["a stop sequence", { unified: "stop", raw: "stop_sequence" }, "END", "stop_sequence", "END"],
  [
    "a stop sequence without its text",
    { unified: "stop", raw: "stop_sequence" },
    null,
    "stop_sequence",
    null,
  ],
] as const)(
  "names %s as what ended the answer, whole and streamed",
  async (_, finishReason, text, ...ends) => {
    const providerMetadata = text === undefined ? undefined : { anthropic: { stopSequence: text } };
    const finish = { finishReason, usage: USAGE, ...(providerMetadata && { providerMetadata }) };
    const [stop_reason, stop_sequence] = ends;
    body = JSON.stringify(
      toMessage({ content: [{ type: "text", text: "A" }], warnings: [], ...finish }, META),
    );
    expect(await client.messages.create(request)).toMatchObject({ stop_reason, stop_sequence });
    body = eventsOf([
      { type: "text-delta", id: "t", delta: "A" },
      { type: "finish", ...finish },
    ])
      .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
    const streamed = await client.messages.stream(request).finalMessage();
    expect(streamed).toMatchObject({ content: [{ text: "A" }], stop_reason, stop_sequence });
  },
);
