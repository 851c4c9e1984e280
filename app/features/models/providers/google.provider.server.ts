import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { z } from "zod";
import { readList, tidyIds } from "./model-list.server";
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
  fields: ["keyId", "baseUrl", "models"],
  pricing: "google",
  async listModels(call) {
    const headers = { "x-goog-api-key": call.apiKey ?? "" };
    const list = await readList(call, "/models?pageSize=1000", headers, GeminiList);
    const chat = list.models.filter(
      (model) => model.supportedGenerationMethods?.includes("generateContent") ?? true,
    );
    return tidyIds(chat.map((model) => model.name.replace(/^models\//, "")));
  },
  makeModel(call, modelId) {
    return createGoogleGenerativeAI({ baseURL: call.baseUrl, apiKey: call.apiKey ?? "", fetch: call.fetch })(
      modelId,
    );
  },
};
