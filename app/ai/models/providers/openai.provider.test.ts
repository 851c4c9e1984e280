import { afterAll, beforeAll, expect, it } from "vitest";
import { parseWellFormed } from "~/core/well-formed";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { openai } from "./openai.provider.server";

let upstream: MockServer;
beforeAll(async () => {
  upstream = await startMockServer((_, response) => {
    response.writeHead(500, { "content-type": "application/json" }).end("{}");
  });
});
afterAll(() => upstream.close());

async function sentBodies(modelId: string): Promise<unknown[]> {
  const sent = upstream.requests.length;
  const call = { baseUrl: `${upstream.origin}/v1`, apiKey: "key", fetch, config: {} };
  const model = await openai.makeModel(call, modelId);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
  const options = { prompt, providerOptions: { openai: { parallelToolCalls: false } } };
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
