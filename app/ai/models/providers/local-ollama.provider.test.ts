import { expect, it } from "vitest";
import { localOllama } from "./local-ollama.provider.server";

const MODELS: Record<string, object> = {
  plain: { capabilities: ["completion"], model_info: { "x.context_length": 131_072 } },
  own: {
    capabilities: ["completion", "tools"],
    model_info: { "x.context_length": 131_072 },
    parameters: 'stop                           "<|end|>"\nnum_ctx                        16384',
  },
  short: { capabilities: ["completion", "tools"], model_info: { "x.context_length": 2048 } },
  embed: { capabilities: ["embedding"], model_info: { "x.context_length": 8192 } },
  unknown: {},
};

async function list(running: object | undefined) {
  const answerTo = async (url: string, body: string): Promise<Response> => {
    if (url.endsWith("/api/tags"))
      return Response.json({ models: Object.keys(MODELS).map((name) => ({ name })) });
    if (url.endsWith("/api/show")) return Response.json(MODELS[JSON.parse(body).model]);
    return running ? Response.json(running) : Response.json({}, { status: 404 });
  };
  const models = await localOllama.listModels({
    baseUrl: "http://ollama.example",
    apiKey: undefined,
    fetch: (url, init) => answerTo(String(url), String(init?.body)),
    config: {},
  });
  return Object.fromEntries(models.map((model) => [model.id, model]));
}

it("lists how much of a prompt the server reads, not what the model could", async () => {
  const models = await list(undefined);
  const lengths = Object.fromEntries(Object.entries(models).map(([id, { maxTokens }]) => [id, maxTokens]));
  expect(lengths).toEqual({ plain: 4096, own: 16_384, short: 2048, embed: 8192, unknown: 4096 });
});

it("follows the models that are loaded", async () => {
  const { plain, own } = await list({ models: [{ name: "own", context_length: 32_768 }] });
  expect([own?.maxTokens, plain?.maxTokens]).toEqual([32_768, 32_768]);
  const embedding = await list({ models: [{ name: "embed", context_length: 512 }] });
  expect(embedding.plain?.maxTokens).toBe(4096);
  const none = await list({ models: [] });
  expect(none.plain?.maxTokens).toBe(4096);
});

it("knows which models take no tools, where the server says what they can", async () => {
  const { plain, own, unknown } = await list(undefined);
  expect(plain?.lacks).toEqual(["tools"]);
  expect(own).not.toHaveProperty("lacks");
  expect(unknown).not.toHaveProperty("lacks");
});
