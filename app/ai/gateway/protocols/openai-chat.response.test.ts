import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { OpenAI } from "../../../../tests/support/sdks";
import { type ChatChunk, ChatChunks, type ChatCompletion, toChatCompletion } from "./openai-chat.response";

const META = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" };
const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const UNKNOWN: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const finish = (unified: "stop" | "tool-calls" | "length", usage = USAGE): LanguageModelV3StreamPart => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage,
});

const ANSWER: LanguageModelV3StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "Hm." },
  { type: "reasoning-end", id: "r" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "" },
  { type: "text-delta", id: "t", delta: "Grüße" },
  { type: "text-delta", id: "t", delta: " 👋" },
  { type: "text-end", id: "t" },
  { type: "tool-input-start", id: "a", toolName: "add" },
  { type: "tool-input-delta", id: "a", delta: '{"x":' },
  { type: "tool-input-delta", id: "a", delta: "1}" },
  { type: "tool-input-end", id: "a" },
  { type: "tool-call", toolCallId: "a", toolName: "add", input: '{"x":1}' },
  { type: "tool-call", toolCallId: "b", toolName: "now", input: "{}" },
  finish("stop"),
];

function chunksOf(parts: LanguageModelV3StreamPart[], includeUsage = false): ChatChunk[] {
  const chunks = new ChatChunks({ ...META, includeUsage });
  return parts.flatMap((part) => chunks.take(part));
}

/** A mock server that sends what it is given, for the official client to read. */
let body = "";
const server = createServer((_, response) => {
  response.setHeader("content-type", body.startsWith("data:") ? "text/event-stream" : "application/json");
  response.end(body);
});
let client: OpenAI;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: "k", baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
});
afterAll(() => server.close());

describe("a streamed response as chat completion chunks", () => {
  it("has the form of the official client's types", () => {
    expectTypeOf<ChatChunk>().toExtend<OpenAI.ChatCompletionChunk>();
    expectTypeOf<ChatCompletion>().toExtend<OpenAI.ChatCompletion>();
  });

  it("begins with the role and ends with the reason", () => {
    const chunks = chunksOf(ANSWER);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "", refusal: null });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content).join("")).toBe("Grüße 👋");
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
  });

  it("is put together by the official client", async () => {
    body = `${chunksOf(ANSWER, true)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join("")}data: [DONE]\n\n`;
    const stream = client.chat.completions.stream({
      model: "m",
      messages: [],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message).toMatchObject({
      role: "assistant",
      content: "Grüße 👋",
      tool_calls: [
        { id: "a", type: "function", function: { name: "add", arguments: '{"x":1}' } },
        { id: "b", type: "function", function: { name: "now", arguments: "{}" } },
      ],
    });
    expect(final.choices[0]?.finish_reason).toBe("tool_calls");
    expect(final.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
  });

  it("leaves out usage that isn't known whole", () => {
    const chunks = chunksOf([{ type: "text-delta", id: "t", delta: "x" }, finish("length", UNKNOWN)], true);
    expect(chunks.map((chunk) => chunk.usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
  });

  it("sends a call's input once complete", () => {
    const chunks = chunksOf([
      { type: "tool-input-start", id: "a", toolName: "run", inputEncoding: "text" },
      { type: "tool-input-delta", id: "a", delta: "ls" },
      { type: "tool-call", toolCallId: "a", toolName: "run", input: '"ls"' },
    ]);
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta.tool_calls?.[0]?.function.arguments ?? "");
    expect(deltas.join("")).toBe('"ls"');
  });

  it("has a model's images beside the text, as OpenRouter gives them", () => {
    const image = (mediaType: string) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,/9j/4A==` },
      index: 0,
    });
    const file = { type: "file" as const, mediaType: "image/webp", data: "/9j/4A==" };
    const providerMetadata = { openaiCompatible: { images: ["/9j/4A=="] } };
    const chunks = chunksOf([file, { ...finish("stop"), providerMetadata } as LanguageModelV3StreamPart]);
    const shown = chunks.flatMap((chunk) => chunk.choices[0]?.delta.images ?? []);
    expect(shown).toEqual([image("image/webp"), image("image/jpeg")]);
    const finishReason = { unified: "stop" as const, raw: "stop" };
    const result = { content: [file], finishReason, usage: USAGE, warnings: [] };
    const [choice] = toChatCompletion(result, META).choices;
    expect(choice?.message).toMatchObject({ content: "", images: [image("image/webp")] });
  });

  it("hides tools that the provider ran", () => {
    const parts: LanguageModelV3StreamPart[] = [
      { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "s", delta: "{}" },
      { type: "tool-call", toolCallId: "s", toolName: "web_search", input: "{}", providerExecuted: true },
    ];
    expect(chunksOf(parts)).toEqual([]);
  });
});

describe("a whole response as a chat completion", () => {
  const result = {
    content: [
      { type: "reasoning" as const, text: "Hm." },
      { type: "text" as const, text: "Two." },
    ],
    finishReason: { unified: "stop" as const, raw: "end_turn" },
    usage: USAGE,
    warnings: [],
  };

  it("is read by the official client", async () => {
    body = JSON.stringify(toChatCompletion(result, META));
    const read = await client.chat.completions.create({ model: "m", messages: [] });
    expect(read.choices[0]).toEqual({
      index: 0,
      message: { role: "assistant", content: "Two.", refusal: null, reasoning_content: "Hm." },
      logprobs: null,
      finish_reason: "stop",
    });
    expect(read.usage?.total_tokens).toBe(15);
  });

  it("has no content beside tool calls, and no usage that isn't known", () => {
    const call = { type: "tool-call" as const, toolCallId: "c", toolName: "f", input: "" };
    const completion = toChatCompletion({ ...result, content: [call], usage: UNKNOWN }, META);
    expect(completion.choices[0]).toMatchObject({
      message: { content: null, tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] },
      finish_reason: "tool_calls",
    });
    expect(completion).not.toHaveProperty("usage");
  });
});
