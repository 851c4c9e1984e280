import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { z } from "zod";
import { readList, tidyModels } from "./model-list.server";
import type { ProviderType } from "./provider-type";

const GeminiList = z.object({
  models: z.array(z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).optional() })),
});

export const google: ProviderType = {
  value: "google",
  label: "Google Gemini",
  description: "Gemini models from Google, through the Gemini API.",
  keyKind: "gemini",
  keyRequired: true,
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  fields: ["keyId", "baseUrl", "models", "maxConcurrent", "requestsPerMinute"],
  pricing: "google",
  abilities: ["vision", "tools", "reasoning", "embeddings"],
  listing: "Lists its models over its own API",
  wire: {},
  headers: (apiKey) => ({ "x-goog-api-key": apiKey ?? "" }),
  async listModels(call) {
    const list = await readList(call, "/models?pageSize=1000", this.headers(call.apiKey), GeminiList);
    const chat = list.models.filter(
      (model) => model.supportedGenerationMethods?.includes("generateContent") ?? true,
    );
    return tidyModels(chat.map((model) => ({ id: model.name.replace(/^models\//, "") })));
  },
  makeModel(call, modelId) {
    return createGoogleGenerativeAI({ baseURL: call.baseUrl, apiKey: call.apiKey ?? "", fetch: call.fetch })(
      modelId,
    );
  },
};
