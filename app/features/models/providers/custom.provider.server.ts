import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAiList, readList, tidyModels } from "./model-list.server";
import type { ProviderType } from "./provider-type";

export const custom: ProviderType = {
  value: "custom",
  label: "Custom",
  description:
    "Any server that speaks OpenAI's chat completions: vLLM, LiteLLM, LM Studio, a gateway of your own.",
  keyKind: "custom",
  keyRequired: false,
  defaultBaseUrl: null,
  fields: ["baseUrl", "keyId", "models", "maxConcurrent", "requestsPerMinute"],
  pricing: null,
  abilities: ["vision", "tools", "reasoning", "embeddings"],
  listing: "Asked at /models below its address; further ids can be entered",
  wire: { "openai-chat": "/chat/completions", "openai-embeddings": "/embeddings" },
  headers: (apiKey): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  async listModels(call) {
    const list = await readList(call, "/models", this.headers(call.apiKey), OpenAiList);
    return tidyModels(list.data.map(({ id }) => ({ id })));
  },
  makeModel(call, modelId) {
    const provider = createOpenAICompatible({
      name: "custom",
      baseURL: call.baseUrl,
      fetch: call.fetch,
      includeUsage: true,
      ...(call.apiKey ? { apiKey: call.apiKey } : {}),
    });
    return provider(modelId);
  },
};
