import { z } from "zod";
import { isEmbeddingId, isRerankerId } from "../model-families.server";
import type { ListedModel } from "../models.schema";
import { bearer, compatibleModel, contextTokens, readList } from "./adapter-parts.server";
import type { ProviderType } from "./provider-type.server";

const CompatibleList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** Kind of model, in LiteLLM, Together and Infinity. */
      type: z.string().nullish(),
      task: z.string().nullish(),
      max_model_len: z.number().nullish(),
      max_context_length: z.number().nullish(),
      context_length: z.number().nullish(),
      context_window: z.number().nullish(),
    }),
  ),
});
type Entry = z.infer<typeof CompatibleList>["data"][number];

function toListed(entry: Entry): ListedModel {
  const { id, type, task } = entry;
  const embeds = /embed|feature-extraction/i.test(`${type ?? ""} ${task ?? ""}`) || isEmbeddingId(id);
  const length =
    entry.max_model_len ?? entry.max_context_length ?? entry.context_length ?? entry.context_window;
  return {
    id,
    kind: embeds ? "embedding" : "chat",
    maxTokens: contextTokens(length),
  };
}

export const custom: ProviderType = {
  value: "custom",
  label: "Custom",
  description: "Any OpenAI-compatible server, such as vLLM, LiteLLM, LM Studio or your own gateway",
  keyKind: "custom",
  keyRequired: false,
  defaultBaseUrl: null,
  pricing: null,
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings"],
  listing: "Models are discovered automatically at /models; you can add others by ID",
  wire: { "openai-chat": "/chat/completions", "openai-embeddings": "/embeddings" },
  headers: bearer,
  async listModels(call) {
    const { data } = await readList(call, "/models", CompatibleList);
    return data.filter(({ id, type }) => !isRerankerId(`${id} ${type ?? ""}`)).map(toListed);
  },
  makeModel: (call, modelId, streams) => compatibleModel(call, modelId, streams),
};
