import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseWellFormed } from "~/core/well-formed";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import type { ChatModelCall } from "../language-model";
import { openai } from "./openai.provider.server";

let upstream: MockServer;
beforeAll(async () => {
  upstream = await startMockServer((_, response) => {
    response.writeHead(500, { "content-type": "application/json" }).end("{}");
  });
});
afterAll(() => upstream.close());

async function sentBodies(modelId: string, more: Partial<ChatModelCall> = {}): Promise<unknown[]> {
  const sent = upstream.requests.length;
  const call = { baseUrl: `${upstream.origin}/v1`, apiKey: "key", fetch, config: {} };
  const model = await openai.makeModel(call, modelId);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
  const options = { prompt, providerOptions: { openai: { parallelToolCalls: false } }, ...more };
  await expect(model.doGenerate(options)).rejects.toThrow();
  await expect(model.doStream(options)).rejects.toThrow();
  return upstream.requests.slice(sent).map(({ body }) => parseWellFormed(body));
}

it("keeps nothing at the provider, and so gets a reasoning model's thoughts back itself", async () => {
  const plain = { store: false, parallel_tool_calls: false };
  expect(await sentBodies("gpt-4o")).toMatchObject([plain, plain]);
  const reasoning = { store: false, include: ["reasoning.encrypted_content"] };
  expect(await sentBodies("gpt-5")).toMatchObject([reasoning, reasoning]);
});

it("leaves optional fields of tools optional unless strictness was asked for", async () => {
  const tool = { type: "function" as const, inputSchema: { type: "object" as const } };
  const tools = [
    { ...tool, name: "a" },
    { ...tool, name: "b", strict: true },
  ];
  const sent = { tools: [{ strict: false }, { strict: true }] };
  expect(await sentBodies("gpt-5", { tools })).toMatchObject([sent, sent]);
});

it("sends stop sequences by the API that has them", async () => {
  const sent = { messages: [{ role: "user" }], stop: ["END"] };
  expect(await sentBodies("gpt-4o", { stopSequences: ["END"] })).toMatchObject([sent, sent]);
  for (const body of await sentBodies("gpt-5", { stopSequences: ["END"] })) {
    expect(body).toMatchObject({ input: [{ role: "user" }], store: false });
    expect(body).not.toHaveProperty("stop");
  }
});

it("lists OpenAI's chat models, and at other addresses all that aren't of another kind by their names", async () => {
  const ids = ["gpt-4o", "gpt-3.5-turbo-instruct", "Qwen/Qwen2.5-7B-instruct", "whisper-1"];
  const fetch = async () => Response.json({ data: ids.map((id) => ({ id, max_model_len: 4096 })) });
  const listAt = async (baseUrl: string) => {
    const models = await openai.listModels({ baseUrl, apiKey: "key", fetch, config: {} });
    return models.map(({ id, kind, maxTokens }) => `${id} ${kind} ${maxTokens}`);
  };
  expect(await listAt("https://api.openai.com/v1")).toEqual([
    "gpt-4o chat undefined",
    "whisper-1 transcription undefined",
  ]);
  expect(await listAt("http://lab.example/v1")).toEqual([
    "gpt-4o chat 4096",
    "gpt-3.5-turbo-instruct chat 4096",
    "Qwen/Qwen2.5-7B-instruct chat 4096",
    "whisper-1 transcription 4096",
  ]);
});

describe("chat completions", () => {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
  const chatModel = (baseUrl: string, modelId: string, answer: () => Response) => {
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(parseWellFormed(String(init?.body)));
      return answer();
    };
    const call = { baseUrl, apiKey: "key", fetch, config: { api: "chat" as const } };
    return { sent, make: (streams: boolean) => openai.makeModel(call, modelId, streams) };
  };
  const json = (body: object) => Response.json(body);

  it("are read at other addresses as those of compatible servers", async () => {
    const message = {
      role: "assistant",
      content: "<think>Hm.</think>Yes.",
      tool_calls: [{ type: "function", function: { name: "f", arguments: { a: 1 } } }],
    };
    const answer = () => json({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    const { make, sent } = chatModel("http://lab.example/v1", "qwen3", answer);
    const model = await make(false);
    const { content } = await model.doGenerate({ prompt, providerOptions: { console: { effort: "low" } } });
    expect(content).toMatchObject([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Yes." },
      { type: "tool-call", toolName: "f", input: '{"a":1}' },
    ]);
    expect(sent).toMatchObject([{ chat_template_kwargs: { enable_thinking: true } }]);
  });

  it("are marked at other addresses where they were cut off", async () => {
    const event = { choices: [{ index: 0, delta: { content: "Ye" }, finish_reason: null }] };
    const answer = () =>
      new Response(`data: ${JSON.stringify(event)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    const model = await chatModel("http://lab.example/v1", "llama", answer).make(true);
    const { stream } = await model.doStream({ prompt });
    const parts = [];
    for await (const part of stream) parts.push(part);
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "other", raw: "cut" },
    });
  });

  it.each(["https://api.openai.com/v1", "http://proxy.example/v1"])(
    "are asked of a model that reasons as it takes them, at %s",
    async (baseUrl) => {
      const message = { role: "assistant", content: "Yes. END No." };
      const answer = () => json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
      const { make, sent } = chatModel(baseUrl, "gpt-5", answer);
      const { content } = await (await make(false)).doGenerate({
        prompt,
        maxOutputTokens: 9,
        stopSequences: [" END"],
        providerOptions: { console: { effort: "none" } },
      });
      expect(content).toEqual([{ type: "text", text: "Yes." }]);
      const [body] = sent;
      expect(body).toMatchObject({ reasoning_effort: "minimal", max_completion_tokens: 9 });
      expect(body).not.toHaveProperty("max_tokens");
      expect(body).not.toHaveProperty("stop");
    },
  );
});
