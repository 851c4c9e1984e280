import { LLMock } from "@copilotkit/aimock";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Gateway, openGateway, PROVIDER_KEY } from "../support/gateway";
import { PNG_PIXEL, startImageServer } from "../support/image-server";
import type { MockServer } from "../support/mock-server";
import { startRerankServer } from "../support/rerank-server";

const GREETING = "Hello from the other end.";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Providers by the protocol they speak, each with the model it serves. */
const PROVIDERS = [
  { provider: "openai", model: "gpt-4o", path: "/v1" },
  { provider: "anthropic", model: "claude-next", path: "/v1" },
  { provider: "google", model: "gemini-2.5-flash", path: "/v1beta" },
  { provider: "custom", model: "my-model", path: "/v1" },
] as const;

let gateway: Gateway;
let mock: LLMock;

beforeAll(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true });
  const call = { id: "call_1", name: "look_up", arguments: { city: "Wien" } };
  mock
    .on({ userMessage: "weather", hasToolResult: true }, { content: "It is 21 degrees." })
    .on({ userMessage: "weather" }, { toolCalls: [call] })
    .onMessage("greet", { content: GREETING })
    .onMessage("picture", { content: "One pixel." })
    .onMessage("as json", { content: '{"name":"Ada","born":1815}' })
    .onEmbedding("embed me", { embedding: [0.25, -0.5, 1] });
  await mock.start();
  gateway = await openGateway();
  for (const { provider, model, path } of PROVIDERS) {
    const models = provider === "openai" ? [model, "text-embedding-3-small"] : [model];
    await gateway.addProvider({ provider, baseUrl: mock.url + path, models });
  }
  await gateway.addProvider({
    provider: "openai",
    api: "responses",
    baseUrl: `${mock.url}/v1`,
    models: ["gpt-5"],
  });
});
afterAll(async () => {
  await gateway?.close();
  await mock?.stop();
});

const ask = (content: string) => [{ role: "user" as const, content }];
const TOOL = {
  name: "look_up",
  description: "Looks up the weather",
  schema: {
    type: "object" as const,
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

describe.each(PROVIDERS)("OpenAI's client over a provider of type $provider", ({ provider, model }) => {
  const openai = () => gateway.openai();

  it("gets a complete answer with its provider", async () => {
    const { data, response } = await openai()
      .chat.completions.create({ model, messages: ask("greet") })
      .withResponse();
    expect(data).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: GREETING }, finish_reason: "stop" }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-request-id": expect.stringMatching(/^req_/),
      "x-gateway-provider": provider,
      "x-gateway-model": model,
      "x-gateway-attempts": "1",
      "x-gateway-route": expect.stringMatching(/priority|only provider/),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });

  it("gets a stream with a finish reason, and usage only on request", async () => {
    const read = async (include_usage: boolean) => {
      const stream = await openai().chat.completions.create({
        model,
        messages: ask("greet"),
        stream: true,
        ...(include_usage ? { stream_options: { include_usage } } : {}),
      });
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return chunks;
    };
    const chunks = await read(false);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(GREETING);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.some((chunk) => chunk.usage)).toBe(false);
    expect((await read(true)).at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("calls a tool and continues with its result", async () => {
    const tools = [
      {
        type: "function" as const,
        function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema },
      },
    ];
    const first = await openai().chat.completions.create({ model, messages: ask("weather"), tools });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    const call = choice?.message.tool_calls?.[0];
    if (call?.type !== "function") throw new Error("No tool was called");
    expect(call.function.name).toBe("look_up");
    expect(JSON.parse(call.function.arguments)).toEqual({ city: "Wien" });
    const second = await openai().chat.completions.create({
      model,
      tools,
      messages: [
        ...ask("weather"),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: '{"degrees":21}' },
      ],
    });
    expect(second.choices[0]?.message.content).toBe("It is 21 degrees.");
  });

  it("streams a tool call piece by piece", async () => {
    const stream = openai().chat.completions.stream({
      model,
      messages: ask("weather"),
      tools: [{ type: "function", function: { name: TOOL.name, parameters: TOOL.schema } }],
    });
    const message = await stream.finalMessage();
    expect(message.tool_calls?.[0]).toMatchObject({ function: { name: "look_up" } });
  });

  it("sends a picture", async () => {
    const answer = await openai().chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "picture" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
      ],
    });
    expect(answer.choices[0]?.message.content).toBe("One pixel.");
  });

  it("requests JSON by a schema", async () => {
    const schema = z.toJSONSchema(z.object({ name: z.string(), born: z.number() }));
    const answer = await openai().chat.completions.create({
      model,
      messages: ask("as json"),
      response_format: { type: "json_schema", json_schema: { name: "person", schema, strict: true } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ name: "Ada", born: 1815 });
  });
});

describe.each(PROVIDERS)("OpenAI's client by responses over a provider of type $provider", ({ model }) => {
  const responses = () => gateway.openai().responses;

  it("gets a complete and a streamed response", async () => {
    const whole = await responses().create({ model, input: "greet" });
    expect(whole).toMatchObject({ status: "completed", output_text: GREETING, store: false });
    const stream = responses().stream({ model, input: "greet" });
    const final = await stream.finalResponse();
    expect(final).toMatchObject({
      status: "completed",
      output: [{ type: "message", content: [{ type: "output_text", text: GREETING }] }],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("calls a tool and continues with its result", async () => {
    const { name, description, schema: parameters } = TOOL;
    const tools = [{ type: "function" as const, name, description, parameters, strict: true }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "weather" }];
    const first = await responses().create({ model, tools, input });
    const call = first.output.find((item) => item.type === "function_call");
    if (!call) throw new Error("No tool was called");
    expect(call).toMatchObject({ name: "look_up", arguments: '{"city":"Wien"}' });
    const output = first.output as OpenAI.Responses.ResponseInput;
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: "21" };
    const second = await responses().create({ model, tools, input: [...input, ...output, result] });
    expect(second.output_text).toBe("It is 21 degrees.");
  });

  it("sends a picture", async () => {
    const image_url = `data:image/png;base64,${PIXEL}`;
    const content = [
      { type: "input_text" as const, text: "picture" },
      { type: "input_image" as const, image_url, detail: "auto" as const },
    ];
    const answer = await responses().create({ model, input: [{ role: "user", content }] });
    expect(answer.output_text).toBe("One pixel.");
  });
});

describe.each(PROVIDERS)("Anthropic's client over a provider of type $provider", ({ model }) => {
  const anthropic = () => gateway.anthropic();

  it("gets a complete and a streamed message", async () => {
    const whole = await anthropic().messages.create({ model, max_tokens: 100, messages: ask("greet") });
    expect(whole).toMatchObject({
      type: "message",
      role: "assistant",
      stop_reason: "end_turn",
      content: [{ type: "text", text: GREETING }],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    const stream = anthropic().messages.stream({ model, max_tokens: 100, messages: ask("greet") });
    expect(await stream.finalText()).toBe(GREETING);
    expect((await stream.finalMessage()).stop_reason).toBe("end_turn");
  });

  it("calls a tool and continues with its result", async () => {
    const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema }];
    const first = await anthropic().messages.create({
      model,
      max_tokens: 100,
      tools,
      messages: ask("weather"),
    });
    expect(first.stop_reason).toBe("tool_use");
    const use = first.content.find((block) => block.type === "tool_use");
    if (!use) throw new Error("No tool was called");
    expect(use).toMatchObject({ name: "look_up", input: { city: "Wien" } });
    const second = await anthropic().messages.create({
      model,
      max_tokens: 100,
      tools,
      messages: [
        ...ask("weather"),
        { role: "assistant", content: first.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: '{"degrees":21}' }] },
      ],
    });
    expect(second.content).toMatchObject([{ type: "text", text: "It is 21 degrees." }]);
  });

  it("sends a picture", async () => {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PIXEL };
    const answer = await anthropic().messages.create({
      model,
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source },
            { type: "text", text: "picture" },
          ],
        },
      ],
    });
    expect(answer.content).toMatchObject([{ type: "text", text: "One pixel." }]);
  });
});

describe("the built-in model", () => {
  it("answers both clients", async () => {
    const model = "quarterdeck-offline";
    const answer = await gateway.openai().chat.completions.create({ model, messages: ask("hello") });
    expect(answer.choices[0]?.message.content).toContain("not a language model");
    const stream = gateway.anthropic().messages.stream({ model, max_tokens: 50, messages: ask("hello") });
    expect(await stream.finalText()).toContain("not a language model");
  });
});

describe("models", () => {
  it("come with their provider, as a list and one by one", async () => {
    const { data } = await gateway.openai().models.list();
    expect(data).toContainEqual({
      id: "claude-next",
      object: "model",
      created: expect.any(Number),
      owned_by: "anthropic",
    });
    expect(data.map(({ id }) => id)).toContain("quarterdeck-offline");
    expect(await gateway.openai().models.retrieve("my-model")).toMatchObject({ id: "my-model" });
    await expect(gateway.openai().models.retrieve("a/b")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("have the ID of a hub as an alias", async () => {
    expect(await gateway.openai().models.retrieve("openai/gpt-4o")).toMatchObject({ id: "gpt-4o" });
    for (const model of ["openai/gpt-4o", "gpt-4o"]) {
      const client = gateway.openai(await gateway.newToken({ models: [model] }));
      expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["gpt-4o"]);
      for (const model of ["openai/gpt-4o", "gpt-4o"]) {
        const { choices } = await client.chat.completions.create({
          model,
          messages: [{ role: "user", content: "greet" }],
        });
        expect(choices[0]?.message.content).toBe(GREETING);
      }
    }
  });
});

describe("Anthropic's client", () => {
  it("gets models in its form, errors too, and the id of a request", async () => {
    const { data: page, request_id } = await gateway.anthropic().models.list().withResponse();
    const { data } = page;
    expect(request_id).toMatch(/^req_/);
    expect(data).toContainEqual({
      type: "model",
      id: "gpt-4o",
      display_name: "gpt-4o",
      created_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(await gateway.anthropic().models.retrieve("gpt-4o")).toMatchObject({ type: "model" });
    await expect(gateway.anthropic().models.retrieve("none")).rejects.toMatchObject({
      status: 404,
      requestID: expect.stringMatching(/^req_/),
      error: { type: "error", error: { type: "not_found_error" } },
    });
  });

  it("counts tokens, by an estimate that says so where the provider doesn't", async () => {
    const counted = () => gateway.usage().filter(({ model }) => model === "my-model").length;
    const before = counted();
    const messages = ask("greet ".repeat(100));
    const { data, response } = await gateway
      .anthropic()
      .messages.countTokens({ model: "my-model", messages })
      .withResponse();
    expect(data).toEqual({ input_tokens: 150 });
    expect(response.headers.get("x-gateway-count")).toBe("estimated");
    await expect(gateway.anthropic().messages.countTokens({ model: "none", messages })).rejects.toMatchObject(
      {
        status: 404,
      },
    );
    expect(counted()).toBe(before);
  });
});

it("hands an image's address to a server that may take it", async () => {
  const url = "https://a.example/cat.png";
  const content = [
    { type: "image" as const, source: { type: "url" as const, url } },
    { type: "text" as const, text: "picture" },
  ];
  const call = { model: "my-model", max_tokens: 9, messages: [{ role: "user" as const, content }] };
  expect((await gateway.anthropic().messages.create(call)).content).toMatchObject([{ text: "One pixel." }]);
  expect(JSON.stringify(mock.getLastRequest()?.body)).toContain(url);
});

describe("what a provider doesn't support", () => {
  it("is refused by name before anything is sent", async () => {
    const sent = mock.getRequests().length;
    const create = { model: "claude-next", messages: ask("greet") };
    await expect(
      gateway.openai().chat.completions.create({ ...create, presence_penalty: 1 }),
    ).rejects.toMatchObject({ status: 400, param: "presence_penalty" });
    await expect(
      gateway.anthropic().messages.create({
        model: "gpt-5",
        max_tokens: 9,
        messages: ask("greet"),
        ...({ top_k: 4 } as object),
      }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("top_k: This model's provider"),
    });
    expect(mock.getRequests()).toHaveLength(sent);
  });
});

describe("embeddings and responses", () => {
  it("pass through if the provider supports them", async () => {
    const { data } = await gateway
      .openai()
      .embeddings.create({ model: "text-embedding-3-small", input: "embed me", encoding_format: "float" });
    expect(data[0]?.embedding).toEqual([0.25, -0.5, 1]);
    // The client asks for base64 by itself and decodes whatever comes; this provider sends numbers all the same.
    const silently = await gateway
      .openai()
      .embeddings.create({ model: "text-embedding-3-small", input: "embed me" });
    expect(silently.data[0]?.embedding).toEqual([0.25, -0.5, 1]);
    const own = { store: true, tools: [{ type: "web_search" as const }] };
    const response = await gateway.openai().responses.create({ model: "gpt-5", input: "greet", ...own });
    expect(response.output_text).toBe(GREETING);
    expect(mock.getLastRequest()).toMatchObject({ path: "/v1/responses" });
    const stream = await gateway.openai().responses.create({ model: "gpt-5", input: "greet", stream: true });
    let text = "";
    for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
    expect(text).toBe(GREETING);
  });

  it("get an explained refusal otherwise", async () => {
    for (const model of ["claude-next", "quarterdeck-offline"])
      await expect(gateway.openai().embeddings.create({ model, input: "embed me" })).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(/doesn't support this kind of call/),
      });
    await expect(
      gateway.openai().responses.create({ model: "my-model", input: "greet", previous_response_id: "r" }),
    ).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id",
      message: expect.stringMatching(/Send the items of the conversation/),
    });
  });
});

describe("reranking", () => {
  let server: MockServer;
  beforeAll(async () => {
    server = await startRerankServer();
    for (const shape of ["cohere", "voyage", "tei"]) {
      const models = [`${shape}-rerank`];
      const baseUrl = `${server.origin}/${shape}`;
      await gateway.addProvider({ provider: "custom", baseUrl, models, key: false });
    }
  });
  afterAll(() => server?.close());

  const rank = (model: string, more: object = {}, token = gateway.token) =>
    gateway.server.ask("/v1/rerank", {
      headers: { authorization: `Bearer ${token}` },
      json: { model, query: "red ships", documents: ["A ship.", "Tea.", { text: "Red ships." }], ...more },
    });

  it.each([
    ["cohere-rerank", { meta: { billed_units: { search_units: 1 } } }, { search_units: 1, estimated: 1 }],
    [
      "voyage-rerank",
      { usage: { prompt_tokens: 42, total_tokens: 42 } },
      { input_tokens: 42, search_units: null, estimated: 0 },
    ],
    ["tei-rerank", { usage: { prompt_tokens: 42, total_tokens: 42 } }, { input_tokens: 42, estimated: 0 }],
  ])("has one shape at %s, and its usage is recorded", async (model, reported, recorded) => {
    const response = await rank(model, { top_n: 2, return_documents: true });
    expect(response.headers.get("x-gateway-model")).toBe(model);
    expect(await response.json()).toEqual({
      model,
      results: [
        { index: 2, relevance_score: 1, document: { text: "Red ships." } },
        { index: 0, relevance_score: 0, document: { text: "A ship." } },
      ],
      ...reported,
    });
    await expect.poll(() => gateway.usage().at(-1)?.model).toBe(model);
    expect(gateway.usage().at(-1)).toMatchObject({
      source: "gateway",
      outcome: "ok",
      token_id: expect.stringMatching(/^tok_/),
      cost_micros: null,
      ...recorded,
    });
    const all = (await (await rank(model)).json()) as { results: object[] };
    expect(all.results).toHaveLength(3);
    expect(all.results[0]).toEqual({ index: 2, relevance_score: 1 });
  });

  it("costs what an admin says that a search unit costs", async () => {
    const cost = { input: 0, output: 0, searchUnits: 2 };
    const path = "/api/models?id=cohere-rerank";
    const saved = await gateway.server.ask(path, { as: "admin", method: "PATCH", json: { cost } });
    expect(await saved.json()).toMatchObject({ cost });
    await rank("cohere-rerank");
    await expect.poll(() => gateway.usage().at(-1)).toMatchObject({ cost_micros: 2000 });
    const report = await gateway.server.ask("/api/usage?model=cohere-rerank", { as: "admin" });
    expect(await report.json()).toMatchObject({ totals: { searchUnits: expect.any(Number) } });
  });

  it("is for the token's models and for rerankers, which are listed and don't chat", async () => {
    const models = await gateway.openai().models.list();
    expect(models.data.map(({ id }) => id)).toContain("tei-rerank");
    const chat = gateway.openai().chat.completions.create({ model: "tei-rerank", messages: ask("greet") });
    await expect(chat).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const limited = await gateway.newToken({ models: ["gpt-4o"] });
    for (const refused of [await rank("no-such-rerank"), await rank("tei-rerank", {}, limited)]) {
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    }
    expect((await rank("claude-next")).status).toBe(400);
  });

  it("passes a provider's refusal on in OpenAI's form", async () => {
    const refused = await rank("cohere-rerank", { rank_fields: ["title"] });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining("unknown field: rank_fields"),
      },
    });
  });
});

describe("images", () => {
  let server: MockServer;
  beforeAll(async () => {
    server = await startImageServer();
    const baseUrl = `${server.origin}/v1`;
    await gateway.addProvider({ provider: "custom", baseUrl, models: ["gpt-image-1", "flux-1"], key: false });
  });
  afterAll(() => server?.close());

  const pixel = () => toFile(Buffer.from(PNG_PIXEL, "base64"), "pixel.png", { type: "image/png" });
  const row = () => gateway.usage().at(-1);

  it("are made for OpenAI's client, and their usage is recorded", async () => {
    const made = await gateway.openai().images.generate({ model: "gpt-image-1", prompt: "a ship", n: 2 });
    expect(made).toMatchObject({
      data: [{ b64_json: PNG_PIXEL }, { b64_json: PNG_PIXEL }],
      usage: { input_tokens: 10, output_tokens: 1056, total_tokens: 1066 },
      size: "1024x1024",
    });
    await expect.poll(() => row()).toMatchObject({ model: "gpt-image-1", images: 2 });
    expect(row()).toMatchObject({ source: "gateway", input_tokens: 10, output_tokens: 1056, estimated: 0 });
  });

  it("cost what an admin says that an image costs, where no tokens are counted", async () => {
    const cost = { input: 0, output: 0, images: 0.05 };
    const path = "/api/models?id=flux-1";
    const saved = await gateway.server.ask(path, { as: "admin", method: "PATCH", json: { cost } });
    expect(await saved.json()).toMatchObject({ cost });
    const made = await gateway.openai().images.generate({ model: "flux-1", prompt: "a ship" });
    expect(made.data).toEqual([{ b64_json: PNG_PIXEL, revised_prompt: "Revised: a ship" }]);
    await expect.poll(() => row()).toMatchObject({ images: 1, input_tokens: null, cost_micros: 50_000 });
    const report = await gateway.server.ask("/api/usage?model=flux-1", { as: "admin" });
    expect(await report.json()).toMatchObject({ totals: { images: expect.any(Number) } });
  });

  it("are edited by a form and by JSON", async () => {
    const { images } = gateway.openai();
    const image = [await pixel(), await pixel()];
    const made = await images.edit({ model: "gpt-image-1", prompt: "more red", image, mask: await pixel() });
    expect(made.data).toEqual([{ b64_json: PNG_PIXEL }]);
    const asked = server.requests.at(-1)?.body ?? "";
    expect(asked.match(/(?<= )name="[^"]+"/g)?.slice(-3)).toEqual(
      ["image[]", "image[]", "mask"].map((name) => `name="${name}"`),
    );
    const json = {
      model: "gpt-image-1",
      prompt: "more red",
      images: [{ image_url: `data:image/png;base64,${PNG_PIXEL}` }],
    };
    const headers = { authorization: `Bearer ${gateway.token}` };
    const other = await gateway.server.ask("/v1/images/edits", { headers, json });
    expect(await other.json()).toMatchObject({ data: [{ b64_json: PNG_PIXEL }] });
  });

  it.each([
    ["an address in place of bytes", { response_format: "url" }, "response_format"],
    ["a stream", { stream: true }, "stream"],
    ["too many", { n: 11 }, "n"],
    ["no prompt", { prompt: "" }, "prompt"],
  ])("are refused by name: %s", async (_, more, param) => {
    const headers = { authorization: `Bearer ${gateway.token}` };
    const json = { model: "flux-1", prompt: "a ship", ...more };
    const refused = await gateway.server.ask("/v1/images/generations", { headers, json });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  });

  it("aren't made from what isn't an image, by other models, or with a token that may not", async () => {
    const { images } = gateway.openai();
    const image = await toFile(Buffer.from("<svg/>"), "a.png", { type: "image/png" });
    const edit = images.edit({ model: "gpt-image-1", prompt: "a", image });
    await expect(edit).rejects.toMatchObject({ status: 400, param: "image" });
    const chat = gateway.openai().chat.completions.create({ model: "flux-1", messages: ask("greet") });
    await expect(chat).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const limited = gateway.openai(await gateway.newToken({ models: ["gpt-4o"] }));
    const made = limited.images.generate({ model: "flux-1", prompt: "a ship" });
    await expect(made).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const refused = images.generate({ model: "gpt-image-1", prompt: "something forbidden" });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "moderation_blocked" });
  });
});

describe("usage of a call", () => {
  it("has the API token, the tokens, the price and the route", async () => {
    await gateway.openai().chat.completions.create({ model: "gpt-4o", messages: ask("greet") });
    await expect.poll(() => gateway.usage().at(-1)?.model).toBe("gpt-4o");
    const row = gateway.usage().at(-1);
    expect(row).toMatchObject({
      provider_type: "openai",
      source: "gateway",
      outcome: "ok",
      user_id: "usr_member",
      token_id: expect.stringMatching(/^tok_/),
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      cost_micros: expect.any(Number),
      duration_ms: expect.any(Number),
      error_code: null,
    });
    expect(JSON.parse(row?.route ?? "")).toMatchObject({
      policy: "priority",
      attempts: [{ provider: "openai", outcome: "answered" }],
    });
  });

  it("contains no key, nor does the log", () => {
    expect(JSON.stringify(gateway.usage())).not.toContain(PROVIDER_KEY);
    expect(gateway.server.output).not.toContain(PROVIDER_KEY);
  });
});

describe("the log", () => {
  it("has no unexpected error", () => {
    expect(gateway.server.output).not.toMatch(/unhandled rejection|unexpected error/);
  });
});
