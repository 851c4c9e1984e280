import { createAnthropic } from "@ai-sdk/anthropic";
import { OpenAiList, readList, tidyIds } from "./model-list.server";
import type { ProviderType } from "./provider-type";

export const anthropic: ProviderType = {
  value: "anthropic",
  label: "Anthropic",
  description: "Claude models from Anthropic, through its Messages API.",
  keyKind: "anthropic",
  keyRequired: true,
  defaultBaseUrl: "https://api.anthropic.com/v1",
  fields: ["keyId", "baseUrl", "models"],
  pricing: "anthropic",
  async listModels(call) {
    const headers = { "x-api-key": call.apiKey ?? "", "anthropic-version": "2023-06-01" };
    const list = await readList(call, "/models?limit=1000", headers, OpenAiList);
    return tidyIds(list.data.map((model) => model.id));
  },
  makeModel(call, modelId) {
    return createAnthropic({ baseURL: call.baseUrl, apiKey: call.apiKey ?? "", fetch: call.fetch })(modelId);
  },
};
