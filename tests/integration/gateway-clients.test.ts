import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, openGateway } from "../support/gateway";
import { type MockServer, startMockServer } from "../support/mock-server";

interface SentRequest {
  messages: { role: string; content: unknown }[];
  thread?: { type: string };
  tools?: { name?: string; function?: { name: string } }[];
}

let gateway: Gateway;
let upstream: MockServer;
const sent: SentRequest[] = [];

const refusal = (error: object) => ({ status: 400, body: { type: "error", error } });

function answerChat({ messages, tools = [] }: SentRequest) {
  const bad = tools.find((tool) => tool.function?.name === "report_invalid_api_key");
  const message = `Invalid schema for function '${bad?.function?.name}': no type.`;
  if (bad) return refusal({ message, type: "invalid_request_error", code: null, param: "tools" });
  const isDone = messages.some(({ role }) => role === "tool");
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "weather", arguments: '{"city":"Wien"}' },
  };
  const own = isDone || tools.length === 0 ? { content: "done" } : { content: null, tool_calls: [call] };
  const finish_reason = "tool_calls" in own ? "tool_calls" : "stop";
  return {
    status: 200,
    body: { choices: [{ index: 0, finish_reason, message: { role: "assistant", ...own } }] },
  };
}

function answerMessages({ messages, thread }: SentRequest) {
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
  if (thread) return refusal({ type: "invalid_request_error", message: "No threads.", details });
  const isDone = JSON.stringify(messages).includes("tool_result");
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Wien" } };
  const body = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: isDone ? [{ type: "text", text: "done", citations: null }] : [call],
    stop_reason: isDone ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return { status: 200, body };
}

beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    const body = JSON.parse(request.text || "{}") as SentRequest;
    const isModels = request.url?.includes("/models");
    if (!isModels) sent.push(body);
    const answer = () => (request.url?.endsWith("/messages") ? answerMessages(body) : answerChat(body));
    const { status, body: json } = isModels ? { status: 200, body: { data: [] } } : answer();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  gateway = await openGateway({ retryAttempts: 0 });
  const baseUrl = `${upstream.origin}/v1`;
  await gateway.addProvider({ provider: "custom", baseUrl, models: ["translated"], displayName: "Far" });
  await gateway.addProvider({ provider: "anthropic", baseUrl, models: ["passed-on"] });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

describe.each(["translated", "passed-on"])("a call that is %s", (model) => {
  it("works with the tool runner of Anthropic's client, which begins with a thread", async () => {
    sent.length = 0;
    const asked: unknown[] = [];
    const message = await gateway.anthropic().beta.messages.toolRunner({
      model,
      max_tokens: 100,
      messages: [{ role: "user", content: "Weather in Wien?" }],
      tools: [
        {
          type: "custom",
          name: "weather",
          input_schema: { type: "object", properties: { city: { type: "string" } } },
          parse: (input) => input,
          run: async (input) => {
            asked.push(input);
            return "21 degrees";
          },
        },
      ],
    });
    expect(message.content).toMatchObject([{ type: "text", text: "done" }]);
    expect(asked).toEqual([{ city: "Wien" }]);
    expect(sent.at(-1)?.messages.length).toBe(3);
    expect(sent.at(-1)?.thread).toBeUndefined();
  });
});

it("works with the AI SDK's adapter of the Messages API", async () => {
  const anthropic = createAnthropic({ baseURL: `${gateway.server.baseUrl}/v1`, apiKey: gateway.token });
  const model = anthropic("translated");
  const { text } = await generateText({ model, maxOutputTokens: 100, maxRetries: 0, prompt: "Hello" });
  expect(text).toBe("done");
});

it("doesn't take a provider offline for words of the caller in its refusal", async () => {
  const tools = [{ type: "function" as const, function: { name: "report_invalid_api_key" } }];
  const messages = [{ role: "user" as const, content: "Hi" }];
  const call = gateway.openai().chat.completions.create({ model: "translated", messages, tools });
  await expect(call).rejects.toMatchObject({ status: 400, param: "tools", code: "provider_rejected" });
  const again = await gateway.openai().chat.completions.create({ model: "translated", messages });
  expect(again.choices[0]?.message.content).toBe("done");
  const response = await gateway.server.ask("/api/dashboard/providers", { as: "owner" });
  const providers = (await response.json()) as { name: string; status: string }[];
  expect(providers.find(({ name }) => name === "Far")?.status).not.toBe("offline");
});
