import { z } from "zod";
import { kindOfId } from "../model-families.server";
import type { ListedModel, ModelKind } from "../models.schema";
import { ProviderHttpError } from "../provider-errors.server";
import {
  AUDIO_WIRE,
  bearer,
  compatibleModel,
  contextTokens,
  IMAGE_WIRE,
  readList,
} from "./adapter-parts.server";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const CompatibleList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** Kind of model, in LiteLLM, Together, Infinity and Xinference. */
      type: z.string().nullish(),
      task: z.string().nullish(),
      model_type: z.string().nullish(),
      max_model_len: z.number().nullish(),
      max_context_length: z.number().nullish(),
      context_length: z.number().nullish(),
      context_window: z.number().nullish(),
    }),
  ),
});
type Entry = z.infer<typeof CompatibleList>["data"][number];

function kindOf({ id, type, task, model_type }: Entry): ModelKind {
  const named = [type, task, model_type].join(" ");
  if (/rerank/i.test(named)) return "rerank";
  if (/text-to-image|image.?generation|^image\b|\bdiffusion\b/i.test(named.trim())) return "image";
  if (/transcri|speech-recognition|speech-to-text/i.test(named)) return "transcription";
  if (/text-to-speech|audio.?speech|\btts\b/i.test(named)) return "speech";
  return /embed|feature-extraction/i.test(named) ? "embedding" : kindOfId(id);
}

function toListed(entry: Entry): ListedModel {
  const length =
    entry.max_model_len ?? entry.max_context_length ?? entry.context_length ?? entry.context_window;
  return {
    id: entry.id,
    kind: kindOf(entry),
    maxTokens: contextTokens(length),
  };
}

/** Servers of rerankers, of images and of audio often have no list here, so that ids are entered by hand. */
function hasNoList(error: unknown, { config }: ProviderCall): boolean {
  const added = config.models ?? [];
  const isOfKind = (id: string) => !["chat", "embedding"].includes(kindOfId(id));
  const isSpecial = added.length > 0 && added.every(isOfKind);
  return isSpecial && error instanceof ProviderHttpError && error.statusCode === 404;
}

export const custom: ProviderType = {
  value: "custom",
  label: "Custom",
  description: "Any OpenAI-compatible server, such as vLLM, LiteLLM, LM Studio or your own gateway",
  keyKind: "custom",
  keyRequired: false,
  defaultBaseUrl: null,
  pricing: null,
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings", "Reranking", "Images", "Audio"],
  listing: "Models are discovered automatically at /models; you can add others by ID",
  wire: {
    "openai-chat": "/chat/completions",
    "openai-embeddings": "/embeddings",
    rerank: "/rerank",
    ...IMAGE_WIRE,
    ...AUDIO_WIRE,
  },
  headers: bearer,
  async listModels(call) {
    try {
      const { data } = await readList(call, "/models", CompatibleList);
      return data.map(toListed);
    } catch (error) {
      if (hasNoList(error, call)) return [];
      throw error;
    }
  },
  makeModel: (call, modelId, streams) => compatibleModel(call, modelId, streams),
};
