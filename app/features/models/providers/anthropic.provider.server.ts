import { createAnthropic } from "@ai-sdk/anthropic";
import { OpenAiList, readList, tidyModels } from "./model-list.server";
import type { ProviderType } from "./provider-type";

export const anthropic: ProviderType = {
  value: "anthropic",
  label: "Anthropic",
  description: "Claude models from Anthropic, through its Messages API.",
  keyKind: "anthropic",
  keyRequired: true,
  defaultBaseUrl: "https://api.anthropic.com/v1",
  fields: ["keyId", "baseUrl", "models", "maxConcurrent", "requestsPerMinute"],
  pricing: "anthropic",
  abilities: ["vision", "tools", "reasoning"],
  listing: "Lists its models over its own API",
  wire: { "anthropic-messages": "/messages" },
  headers: (apiKey) => ({ "x-api-key": apiKey ?? "", "anthropic-version": "2023-06-01" }),
  async listModels(call) {
    const list = await readList(call, "/models?limit=1000", this.headers(call.apiKey), OpenAiList);
    return tidyModels(list.data.map(({ id }) => ({ id })));
  },
  makeModel(call, modelId) {
    return createAnthropic({ baseURL: call.baseUrl, apiKey: call.apiKey ?? "", fetch: call.fetch })(modelId);
  },
};
