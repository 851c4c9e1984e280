import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type Anthropic from "@anthropic-ai/sdk";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import type OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, openGateway } from "../support/gateway";
import { type Answer, type MockServer, startMockServer } from "../support/mock-server";
import { playReplay, readReplay } from "../support/replay";

// Official clients run a tool loop with models that think. What their models signed comes back by way of the client, in
// the client's own protocol, and the replay's next request demands it.

const FOLDER = "tests/fixtures/streams/replays";
const MODELS = [
  { file: "anthropic-signed-thinking", provider: "anthropic", model: "claude-opus-4-6" },
  { file: "google-signed-calls", provider: "google", model: "gemini-3-pro-preview" },
  { file: "openai-encrypted-reasoning", provider: "openai", model: "gpt-5" },
  { file: "deepseek-reasoning", provider: "custom", model: "deepseek-v4-pro" },
] as const;

// Its adapters don't know the models that they reach here.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let gateway: Gateway;
let upstream: MockServer;
let answer: Answer = (_, response) => response.writeHead(404).end();

beforeAll(async () => {
  upstream = await startMockServer((request, response) => answer(request, response));
  gateway = await openGateway();
  for (const { provider, model } of MODELS)
    await gateway.addProvider({
      provider,
      baseUrl: `${upstream.origin}/v1`,
      models: [model],
      ...(provider === "openai" && { api: "responses" }),
    });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const SCHEMA = {
  type: "object" as const,
  properties: { key: { type: "string" as const }, value: { type: "string" as const } },
};
const QUESTION = { role: "user" as const, content: "Keep a greeting." };

/** @returns the last text */
async function anthropicSdk(model: string): Promise<string> {
  const client = gateway.anthropic();
  const messages: Anthropic.MessageParam[] = [QUESTION];
  for (;;) {
    const tools = [{ name: "kv__set", input_schema: SCHEMA }];
    const said = await client.messages.stream({ model, max_tokens: 4000, messages, tools }).finalMessage();
    messages.push({ role: "assistant", content: said.content });
    const calls = said.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0)
      return said.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const results = calls.map(({ id }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: "kept",
    }));
    messages.push({ role: "user", content: results });
  }
}

async function openAiSdk(model: string): Promise<string> {
  const client = gateway.openai();
  const messages: OpenAI.ChatCompletionMessageParam[] = [QUESTION];
  for (;;) {
    const tools = [{ type: "function" as const, function: { name: "kv__set", parameters: SCHEMA } }];
    const { choices } = await client.chat.completions
      .stream({ model, messages, tools })
      .finalChatCompletion();
    const said = choices[0]?.message;
    if (!said?.tool_calls?.length) return said?.content ?? "";
    messages.push(said);
    for (const { id } of said.tool_calls) messages.push({ role: "tool", tool_call_id: id, content: "kept" });
  }
}

type ResponsesBody = Pick<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "input" | "tools">;

/** @param create streams the response, or asks for a whole one */
async function byResponses(
  model: string,
  create: (body: ResponsesBody) => Promise<OpenAI.Responses.Response>,
): Promise<string> {
  const input: OpenAI.Responses.ResponseInput = [QUESTION];
  for (;;) {
    const tools = [{ type: "function" as const, name: "kv__set", parameters: SCHEMA, strict: false }];
    const { output, output_text } = await create({ model, input, tools });
    // As the client's own documentation has it, though its types differ.
    input.push(...(output as OpenAI.Responses.ResponseInput));
    const calls = output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return output_text;
    for (const { call_id } of calls) input.push({ type: "function_call_output", call_id, output: "kept" });
  }
}
const openAiResponses = (model: string) =>
  byResponses(model, (body) => gateway.openai().responses.stream(body).finalResponse());
const openAiWholeResponses = (model: string) =>
  byResponses(model, (body) => gateway.openai().responses.create(body));

async function aiSdk(model: LanguageModel, openai = {}): Promise<string> {
  const tools = { kv__set: tool({ inputSchema: jsonSchema(SCHEMA), execute: async () => "kept" }) };
  const stopWhen = stepCountIs(3);
  const call = { model, prompt: QUESTION.content, maxRetries: 0, stopWhen, tools };
  const { steps } = streamText({ ...call, providerOptions: { openai } });
  return (await steps).at(-1)?.text ?? "";
}

const { apiKey, baseURL } = { apiKey: () => gateway.token, baseURL: () => `${gateway.server.baseUrl}/v1` };
const aiSdkByMessages = (model: string) =>
  aiSdk(createAnthropic({ apiKey: apiKey(), baseURL: baseURL() })(model));
/** Under this name alone the adapter hands a signature back, on the call. */
const aiSdkByCompletions = (model: string) =>
  aiSdk(createOpenAICompatible({ name: "google", apiKey: apiKey(), baseURL: baseURL() })(model));

/** By default it would refer to items that the other end has stored. */
const aiSdkByResponses = (model: string) =>
  aiSdk(createOpenAI({ apiKey: apiKey(), baseURL: baseURL() }).responses(model), { store: false });

/** Its chat completions drop what Anthropic and Gemini signed, so that only its responses are held to it. */
async function langChainByResponses(model: string): Promise<string> {
  const client = new ChatOpenAI({
    model,
    apiKey: apiKey(),
    configuration: { baseURL: baseURL() },
    useResponsesApi: true,
    streaming: true,
    zdrEnabled: true,
    maxRetries: 0,
  }).bindTools([{ type: "function", function: { name: "kv__set", parameters: SCHEMA } }]);
  const messages: BaseMessage[] = [new HumanMessage(QUESTION.content)];
  for (;;) {
    const said = await client.invoke(messages);
    messages.push(said);
    const { tool_calls: calls = [] } = said;
    if (calls.length === 0) return said.text;
    for (const { id = "" } of calls) messages.push(new ToolMessage({ content: "kept", tool_call_id: id }));
  }
}

// Passed-on calls are the client's own affair; each row but the first is translated.
it.each([
  { ...MODELS[0], client: anthropicSdk },
  { ...MODELS[1], client: anthropicSdk },
  { ...MODELS[2], client: anthropicSdk },
  { ...MODELS[3], client: anthropicSdk },
  { ...MODELS[0], client: openAiSdk },
  { ...MODELS[1], client: openAiSdk },
  { ...MODELS[1], client: aiSdkByMessages },
  { ...MODELS[2], client: aiSdkByMessages },
  { ...MODELS[3], client: aiSdkByMessages },
  { ...MODELS[1], file: "google-signed-call-alone", client: aiSdkByCompletions },
  { ...MODELS[0], client: openAiResponses },
  { ...MODELS[1], client: openAiResponses },
  { ...MODELS[3], client: openAiResponses },
  { ...MODELS[3], client: openAiWholeResponses },
  { ...MODELS[0], client: aiSdkByResponses },
  { ...MODELS[1], client: aiSdkByResponses },
  { ...MODELS[3], client: aiSdkByResponses },
  { ...MODELS[0], client: langChainByResponses },
  { ...MODELS[1], client: langChainByResponses },
  { ...MODELS[3], client: langChainByResponses },
])("$client.name calls tools with $model, which thinks", async ({ file, model, client }) => {
  const replay = readReplay(`${FOLDER}/${file}.replay`);
  const player = playReplay(replay, Number.POSITIVE_INFINITY);
  answer = player.answer;
  expect(await client(model)).toMatch(/^Kept/);
  expect(player.found).toEqual([]);
});
