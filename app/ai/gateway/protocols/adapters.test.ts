import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3GenerateResult,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { translatingEffort } from "~/ai/models/effort";
import { anthropicEffort, googleEffort, openAiEffort } from "~/ai/models/providers/efforts";
import { anthropicMessages } from "./anthropic-messages.protocol";
import { messagesToCall, parseMessagesRequest } from "./anthropic-messages.request";
import { openAiChat } from "./openai-chat.protocol";
import { parseChatRequest, toCall } from "./openai-chat.request";
import { openAiResponses } from "./openai-responses.protocol";
import { parseResponsesRequest, responsesToCall } from "./openai-responses.request";
import { toChecked } from "./protocol";

const chat = toCall(
  parseChatRequest({
    model: "m",
    reasoning_effort: "low",
    user: "u",
    parallel_tool_calls: false,
    messages: [
      { role: "system", content: "One." },
      { role: "user", content: "Add" },
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "add", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "1" },
      { role: "system", content: "Two." },
      { role: "user", content: "And?" },
    ],
    tools: [{ type: "function", function: { name: "add", parameters: { properties: {} } } }],
  }),
  {},
);

const messages = messagesToCall(
  parseMessagesRequest({
    model: "m",
    max_tokens: 99,
    output_config: { effort: "high" },
    tool_choice: { type: "any", disable_parallel_tool_use: true },
    tools: [{ name: "add", input_schema: { type: "object" } }],
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "add", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
          },
        ],
      },
    ],
  }),
  {},
);

const responses = responsesToCall(
  parseResponsesRequest({
    model: "m",
    instructions: "One.",
    parallel_tool_calls: false,
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } },
    input: [
      { role: "user", content: "Add" },
      { type: "function_call", call_id: "c", name: "add", arguments: "{}" },
      { type: "custom_tool_call", call_id: "d", name: "run", input: "ls" },
      { type: "function_call_output", call_id: "c", output: "1" },
      { type: "custom_tool_call_output", call_id: "d", output: "2" },
    ],
    tools: [
      { type: "function", name: "add", parameters: { properties: {} }, strict: null },
      { type: "custom", name: "run" },
    ],
  }),
  {},
);

type MakeModel = (fetch: typeof globalThis.fetch) => LanguageModelV3;

/** The request that an adapter sends for a call; the mock server rejects it. */
async function sentBy(make: MakeModel, call: LanguageModelV3CallOptions): Promise<unknown> {
  let sent: unknown;
  const model = make(async (_, init) => {
    sent = JSON.parse(String(init?.body));
    return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
  });
  await expect(model.doStream(call)).rejects.toThrow(APICallError);
  return sent;
}

const apiKey = "k";

describe("a translated call reaches the provider whole", () => {
  it("of OpenAI's chat at Anthropic", async () => {
    const sent = await sentBy(
      (fetch) => translatingEffort(createAnthropic({ apiKey, fetch })("claude-opus-4-6"), anthropicEffort),
      chat,
    );
    expect(sent).toMatchObject({
      system: [{ text: "One.\n\nTwo." }],
      messages: [
        { role: "user" },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "add", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c", content: "1" },
            { type: "text", text: "And?" },
          ],
        },
      ],
      tools: [{ name: "add", input_schema: { type: "object" } }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      metadata: { user_id: "u" },
      output_config: { effort: "low" },
    });
  });

  it("of OpenAI's chat at Google", async () => {
    const sent = await sentBy(
      (fetch) =>
        translatingEffort(createGoogleGenerativeAI({ apiKey, fetch })("gemini-2.5-pro"), googleEffort),
      chat,
    );
    expect(sent).toMatchObject({
      systemInstruction: { parts: [{ text: "One.\n\nTwo." }] },
      contents: [
        { role: "user" },
        { role: "model", parts: [{ functionCall: { name: "add" } }] },
        { role: "user", parts: [{ functionResponse: { name: "add", response: { content: "1" } } }] },
        { role: "user", parts: [{ text: "And?" }] },
      ],
      generationConfig: { thinkingConfig: { thinkingBudget: 1024 } },
    });
  });

  it("of Anthropic's messages at OpenAI and at a server like it", async () => {
    const inChat = {
      messages: [
        { role: "assistant", tool_calls: [{ id: "t", function: { name: "add" } }] },
        { role: "tool", tool_call_id: "t", content: "(Its images are in the next message.)" },
        { role: "user", content: [{ image_url: { url: "data:image/png;base64,AAAA" } }] },
      ],
      tool_choice: "required",
      reasoning_effort: "high",
    };
    const provider = { name: "custom", baseURL: "http://a.example/v1" };
    expect(
      await sentBy(
        (fetch) =>
          translatingEffort(createOpenAICompatible({ ...provider, fetch })("m"), (effort) => ({
            custom: { reasoningEffort: effort },
          })),
        messages,
      ),
    ).toMatchObject({ ...inChat, max_tokens: 99 });
    expect(
      await sentBy(
        (fetch) => translatingEffort(createOpenAI({ apiKey, fetch }).chat("gpt-5"), openAiEffort),
        messages,
      ),
    ).toMatchObject({
      ...inChat,
      parallel_tool_calls: false,
    });
    expect(
      await sentBy(
        (fetch) => translatingEffort(createOpenAI({ apiKey, fetch })("gpt-5"), openAiEffort),
        messages,
      ),
    ).toMatchObject({
      input: [
        { type: "function_call", call_id: "t", name: "add" },
        { type: "function_call_output", call_id: "t" },
        { role: "user", content: [{ type: "input_image" }] },
      ],
      parallel_tool_calls: false,
      reasoning: { effort: "high" },
    });
  });
});

describe("a call of OpenAI's responses reaches the provider whole", () => {
  it("at Anthropic", async () => {
    const { responseFormat: _, ...call } = responses;
    const sent = await sentBy((fetch) => createAnthropic({ apiKey, fetch })("claude-opus-4-6"), call);
    expect(sent).toMatchObject({
      system: [{ text: "One." }],
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "c", name: "add", input: {} },
            { type: "tool_use", id: "d", name: "run", input: { input: "ls" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c", content: "1" },
            { type: "tool_result", tool_use_id: "d", content: "2" },
          ],
        },
      ],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });
  });

  it("at a server like OpenAI's, which learns what is strict", async () => {
    const sent = await sentBy(
      (fetch) =>
        createOpenAICompatible({
          name: "openaiCompatible",
          baseURL: "http://a.example/v1",
          fetch,
          supportsStructuredOutputs: true,
        })("m"),
      responses,
    );
    expect(sent).toMatchObject({
      messages: [
        { role: "system", content: "One." },
        { role: "user" },
        {
          role: "assistant",
          tool_calls: [{ id: "c" }, { id: "d", function: { arguments: '{"input":"ls"}' } }],
        },
        { role: "tool", tool_call_id: "c" },
        { role: "tool", tool_call_id: "d" },
      ],
      parallel_tool_calls: false,
      response_format: { json_schema: { name: "n", strict: false } },
    });
    expect(sent).not.toHaveProperty("tools.0.function.strict");
  });
});

/** What an adapter, as the console's client, reads from a translated response. */
async function readBack(make: MakeModel, body: unknown) {
  const model = make(async () => Response.json(body));
  const { content, finishReason } = await model.doGenerate({ prompt: [] });
  return { types: content.map(({ type }) => type), finish: finishReason.unified };
}

describe("a translated response is read by another client's adapter", () => {
  const result: LanguageModelV3GenerateResult = {
    content: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello" },
      { type: "tool-call", toolCallId: "t", toolName: "add", input: "{}" },
    ],
    finishReason: { unified: "tool-calls", raw: undefined },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
  const read = { types: ["reasoning", "text", "tool-call"], finish: "tool-calls" };

  it("of Anthropic's messages", async () => {
    const body = anthropicMessages.translation?.toResponse(toChecked({ model: "m" }), result);
    expect(await readBack((fetch) => createAnthropic({ apiKey, fetch })("m"), body)).toEqual(read);
  });

  it("with the step that a client hands back", async () => {
    const message = anthropicMessages.translation?.toResponse(toChecked({ model: "m" }), result, "qd1.e30");
    expect(message).toMatchObject({ content: [{}, {}, {}, { type: "redacted_thinking", data: "qd1.e30" }] });
    const read = await readBack((fetch) => createAnthropic({ apiKey, fetch })("m"), message);
    expect(read.types).toEqual(["reasoning", "text", "tool-call", "reasoning"]);
    const completion = openAiChat.translation?.toResponse(toChecked({ model: "m" }), result, "qd1.e30");
    const details = [{ type: "reasoning.encrypted", data: "qd1.e30" }];
    expect(completion).toMatchObject({ choices: [{ message: { reasoning_details: details } }] });
  });

  it("of OpenAI's responses", async () => {
    const client = (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey, fetch })("m");
    const made = openAiResponses.translation?.toResponse(toChecked({ model: "m" }), result, "qd1.e30");
    expect(await readBack(client, made)).toEqual({ ...read, types: [...read.types, "reasoning"] });
  });

  it("of OpenAI's chat, which has no reasoning", async () => {
    const body = openAiChat.translation?.toResponse(toChecked({ model: "m" }), result);
    const compatible = (fetch: typeof globalThis.fetch) =>
      createOpenAICompatible({ name: "custom", baseURL: "http://a.example/v1", fetch })("m");
    expect(await readBack(compatible, body)).toMatchObject({ finish: "tool-calls" });
    expect(await readBack((fetch) => createOpenAI({ apiKey, fetch }).chat("m"), body)).toEqual({
      types: ["text", "tool-call"],
      finish: "tool-calls",
    });
  });
});
