import { readFileSync } from "node:fs";
import type { LanguageModelV3CallOptions, LanguageModelV3Content } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { ChatModelPart } from "./language-model";
import { PartReader, withoutNulls } from "./model-stream.server";
import { findProviderType } from "./providers/index.server";

const OPTIONS: LanguageModelV3CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};

type Body = string | ReadableStream<Uint8Array>;
const answerWith = (body: Body, type: string) =>
  withoutNulls(async () => new Response(body, { headers: { "content-type": type } }));

async function modelOf(type: string, body: Body, contentType = "application/json") {
  const provider = findProviderType(type);
  if (!provider) throw new Error(type);
  const fetch = answerWith(body, contentType);
  return provider.makeModel(
    { baseUrl: "http://a.example/v1", apiKey: "k", fetch, config: {} },
    "gpt-4o",
    contentType !== "application/json",
  );
}

async function partsOf(type: string, events: object[] | string) {
  const body =
    typeof events === "string"
      ? events
      : events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { stream } = await (await modelOf(type, body, "text/event-stream")).doStream(OPTIONS);
  const reader = new PartReader(stream, { prompt: [] });
  const parts: ChatModelPart[] = [];
  for (let part = await reader.read(); part; part = await reader.read()) parts.push(part);
  return parts;
}

const bare = (content: LanguageModelV3Content[]) =>
  content.map((part) =>
    part.type === "text" ? part.text : part.type === "tool-call" ? JSON.parse(part.input) : part.type,
  );

const callInput = { city: null, days: [null, 1] };
const message = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "text", text: "Hello", citations: null },
    { type: "tool_use", id: "t", name: "weather", input: callInput, caller: null, toolset_name: null },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  container: null,
  usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null, iterations: null },
};

describe("a response with nulls", () => {
  it.each([
    ["anthropic", message],
    [
      "openai",
      {
        id: "r",
        object: "response",
        created_at: 1,
        model: "m",
        error: null,
        incomplete_details: null,
        service_tier: null,
        output: [
          {
            type: "message",
            id: "o",
            role: "assistant",
            phase: null,
            content: [{ type: "output_text", text: "Hello", logprobs: null, annotations: [] }],
          },
          {
            type: "function_call",
            id: "f",
            call_id: "t",
            name: "weather",
            arguments: JSON.stringify(callInput),
            namespace: null,
          },
        ],
        usage: { input_tokens: 1, output_tokens: 2, input_tokens_details: null, output_tokens_details: null },
      },
    ],
    [
      "custom",
      {
        id: null,
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            logprobs: null,
            message: {
              role: "assistant",
              content: "Hello",
              refusal: null,
              tool_calls: [
                {
                  id: "t",
                  type: "function",
                  function: { name: "weather", arguments: JSON.stringify(callInput) },
                  extra_content: null,
                },
              ],
            },
          },
        ],
        usage: null,
      },
    ],
    [
      "google",
      {
        candidates: [
          {
            content: {
              role: null,
              parts: [
                { text: "Hello", thought: null, thoughtSignature: null },
                { functionCall: { id: null, name: "weather", args: callInput }, thoughtSignature: null },
              ],
            },
            finishReason: "STOP",
            groundingMetadata: null,
            safetyRatings: null,
          },
        ],
        promptFeedback: null,
        usageMetadata: null,
      },
    ],
  ])("is read as one without them, except in the model's own values: %s", async (type, body) => {
    const result = await (await modelOf(type, JSON.stringify(body))).doGenerate(OPTIONS);
    expect(bare(result.content)).toEqual(["Hello", callInput]);
  });

  it("is read in a stream of Anthropic's", async () => {
    const parts = await partsOf("anthropic", [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "", citations: null },
      },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "t", name: "weather", input: null, caller: null },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(callInput) },
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use", container: null }, usage: message.usage },
      { type: "message_stop" },
    ]);
    expect(parts.filter(({ type }) => type === "error")).toEqual([]);
    expect(parts).toContainEqual(
      expect.objectContaining({ type: "tool-call", input: JSON.stringify(callInput) }),
    );
  });

  it("is read in a stream of a compatible server's whose choices are null", async () => {
    const hello = readFileSync("tests/fixtures/streams/choices-null.sse", "utf8");
    const parts = await partsOf("custom", hello);
    expect(parts.filter(({ type }) => type === "error")).toEqual([]);
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe("Hello");
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });
});

describe("the rewritten bytes", () => {
  const rewrite = async (pieces: (string | Buffer)[]) => {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(Buffer.from(piece));
        controller.close();
      },
    });
    const response = await answerWith(source, "text/event-stream; charset=utf-8")("http://a.example/");
    return response.text();
  };

  it("are the same without nulls, and for lines that aren't JSON", async () => {
    const plain =
      ': ping\r\nevent: x\ndata:{"a": 1}\n\ndata: [DONE]\n\ndata: null and more\n\ndata: cut {"a":nu';
    expect(await rewrite([plain.slice(0, 20), plain.slice(20)])).toBe(plain);
  });

  it("don't depend on where the network cut them", async () => {
    const event = Buffer.from('data: {"a":"ü\\ud83d","b":null,"c":{"d":null,"e":[null]}}\r\n\r\n');
    const expected = 'data: {"a":"ü\\ud83d","c":{"e":[null]}}\n\r\n';
    expect(await rewrite([...event].map((byte) => Buffer.from([byte])))).toBe(expected);
  });

  it("are passed on from a line that never ends", async () => {
    const long = `data: {"a":"${"x".repeat(1_100_000)}`;
    const text = await rewrite([long, '","b":null}\n\n']);
    expect(text).toBe(`${long}","b":null}\n\n`);
  });

  it("are those of a deeply nested value, unread below 32 levels", async () => {
    const deep = `data: ${"[".repeat(50_000)}null${"]".repeat(50_000)}\n\n`;
    expect((await rewrite([deep])).length).toBe(deep.length);
  });
});
