import { z } from "zod";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";
import { cleanModels, readList } from "./model-list.server";
import { bearer, compatibleModel } from "./openai-compatible";
import { fromOpenRouter, OpenRouterList, writesText } from "./openrouter-list";
import type { ProviderType } from "./provider-type";

const KeyInfo = z.object({ data: z.object({}) });

export const openrouter: ProviderType = {
  value: "openrouter",
  label: "OpenRouter",
  description: "Hundreds of models from all vendors with one key",
  keyKind: "openrouter",
  keyRequired: true,
  defaultBaseUrl: "https://openrouter.ai/api/v1",
  fields: ["keyId", "baseUrl", "models", "maxConcurrent", "requestsPerMinute"],
  pricing: "openrouter",
  abilities: ["vision", "tools", "reasoning", "embeddings"],
  listing: "Models, prices and capabilities are discovered automatically, including embedding models",
  wire: { "openai-chat": "/chat/completions", "openai-embeddings": "/embeddings" },
  headers: bearer,
  async listModels(call) {
    const headers = bearer(call.apiKey);
    const [chat, embedding] = await Promise.all([
      readList(call, "/models", headers, OpenRouterList),
      // A proxy may lack the second list.
      readList(call, "/embeddings/models", headers, OpenRouterList).catch((error: unknown) => {
        if (error instanceof ProviderHttpError || error instanceof MalformedResponse) return { data: [] };
        throw error;
      }),
    ]);
    return cleanModels([
      ...chat.data.filter(writesText).map((entry) => fromOpenRouter(entry, "chat")),
      ...embedding.data.map((entry) => fromOpenRouter(entry, "embedding")),
    ]);
  },
  // The list is public: only this checks the key.
  async probe(call) {
    await readList(call, "/key", bearer(call.apiKey), KeyInfo);
  },
  makeModel: (call, modelId) => compatibleModel(call, "openrouter", modelId),
};
