import { afterAll, beforeAll, expect, it } from "vitest";
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
