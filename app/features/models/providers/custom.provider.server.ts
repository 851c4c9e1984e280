import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAiList, readList, tidyIds } from "./model-list.server";
import type { ProviderType } from "./provider-type";

export const custom: ProviderType = {
  value: "custom",
  label: "Custom",
  description:
    "Any server that speaks OpenAI's chat completions: vLLM, LiteLLM, LM Studio, a gateway of your own.",
  keyKind: "custom",
  keyRequired: false,
  defaultBaseUrl: null,
  fields: ["baseUrl", "keyId", "models"],
  pricing: null,
  async listModels(call) {
    const headers: Record<string, string> = call.apiKey ? { authorization: `Bearer ${call.apiKey}` } : {};
    const list = await readList(call, "/models", headers, OpenAiList);
    return tidyIds(list.data.map((model) => model.id));
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
