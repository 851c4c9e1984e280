import { z } from "zod";
import type { CallFeature } from "../call-features";
import { withOption, withOptions } from "../language-model";
import { drawsInChat } from "../model-families.server";
import type { Capability } from "../model-options.shared";
import type { ListedModel, ModelKind } from "../models.schema";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";
import { bearer, compatibleModel, contextTokens, readList, shortText } from "./adapter-parts.server";
import { openRouterEffort } from "./efforts";
import { cachingAtOpenRouter } from "./prompt-caching";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const KeyInfo = z.object({ data: z.object({}) });

export const openrouter: ProviderType = {
  value: "openrouter",
  label: "OpenRouter",
  description: "Hundreds of models from all vendors with one key",
  keyKind: "openrouter",
  keyRequired: true,
  defaultBaseUrl: "https://openrouter.ai/api/v1",
  pricing: "openrouter",
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings", "Reranking", "Images"],
  listing:
    "Models, prices and capabilities are discovered automatically, including embedding models, rerankers and models for images",
  wire: {
    "openai-chat": "/chat/completions",
    "openai-embeddings": "/embeddings",
    rerank: "/rerank",
    // It has them as answers of a chat.
    "openai-images": "/chat/completions",
    "openai-image-edits": "/chat/completions",
  },
  headers: bearer,
  searchingWeb: () => (call) => withOption(call, "openaiCompatible", { plugins: [{ id: "web" }] }),
  async listModels(call) {
    const [chat, embedding, rerank, image] = await Promise.all([
      readList(call, "/models", OpenRouterList),
      readFurtherList(call, "/embeddings/models"),
      readFurtherList(call, "/models?output_modalities=rerank"),
      readFurtherList(call, "/models?output_modalities=image"),
    ]);
    return [
      ...chat.data.filter(writesText).map((entry) => fromOpenRouter(entry, "chat")),
      ...embedding.data.map((entry) => fromOpenRouter(entry, "embedding")),
      ...rerank.data.filter(reranks).map((entry) => fromOpenRouter(entry, "rerank")),
      ...image.data.filter(onlyDraws).map((entry) => fromOpenRouter(entry, "image")),
    ];
  },
  // The list is public: only this checks the key.
  probe: (call) => readList(call, "/key", KeyInfo),
  async makeModel(call, modelId, streams) {
    const model = cachingAtOpenRouter(await compatibleModel(call, modelId, streams, "", openRouterEffort));
    return drawsInChat(modelId)
      ? withOptions(model, "openaiCompatible", { modalities: ["image", "text"] })
      : model;
  },
};

const Modalities = z.array(z.string()).nullish();

export const OpenRouterList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullish(),
      description: z.string().nullish(),
      context_length: z.number().nullish(),
      architecture: z.object({ input_modalities: Modalities, output_modalities: Modalities }).nullish(),
      /** US dollars per token as text; -1 for auto-routing. */
      pricing: z
        .object({
          prompt: z.string().nullish(),
          completion: z.string().nullish(),
          input_cache_read: z.string().nullish().catch(undefined),
          input_cache_write: z.string().nullish().catch(undefined),
        })
        .nullish(),
      supported_parameters: z.array(z.string()).nullish(),
    }),
  ),
});
type Entry = z.infer<typeof OpenRouterList>["data"][number];

/** A proxy may lack these lists. */
async function readFurtherList(call: ProviderCall, path: string): Promise<z.infer<typeof OpenRouterList>> {
  try {
    return await readList(call, path, OpenRouterList);
  } catch (error) {
    if (error instanceof ProviderHttpError || error instanceof MalformedResponse) return { data: [] };
    throw error;
  }
}

/** US dollars, rounded to drop binary noise. */
function perThousand(dollarsPerToken: number): number {
  return Number((dollarsPerToken * 1000).toPrecision(10));
}

function costOf({ pricing }: Entry): ListedModel["cost"] {
  const [input, output] = [Number(pricing?.prompt ?? Number.NaN), Number(pricing?.completion ?? Number.NaN)];
  if (!(input >= 0 && output >= 0)) return undefined;
  const [read, write] = [Number(pricing?.input_cache_read), Number(pricing?.input_cache_write)];
  return {
    input: perThousand(input),
    output: perThousand(output),
    // 0 stands for none.
    ...(read > 0 && { cacheRead: perThousand(read) }),
    ...(write > 0 && { cacheWrite: perThousand(write) }),
  };
}

/** The list says 0 of those that are paid by the search or the image, which isn't a price. */
function costIfPaid(entry: Entry): ListedModel["cost"] {
  const cost = costOf(entry);
  return cost?.input ? cost : undefined;
}

function capabilitiesOf({ architecture, supported_parameters }: Entry): Capability[] {
  const can = (name: string) => supported_parameters?.includes(name) ?? false;
  const capabilities: [Capability, boolean][] = [
    ["text", true],
    ["vision", architecture?.input_modalities?.includes("image") ?? false],
    ["function-calling", can("tools")],
    ["reasoning", can("reasoning")],
    ["conversational", true],
  ];
  return capabilities.flatMap(([capability, has]) => (has ? [capability] : []));
}

/** Parameters that a list names one by one. */
const LISTED_PARAMETERS: readonly (readonly [string, CallFeature])[] = [
  ["tools", "tools"],
  ["tool_choice", "toolChoice"],
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["stop", "stop"],
  ["seed", "seed"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
  ["structured_outputs", "responseSchema"],
  ["response_format", "responseFormat"],
  ["reasoning", "effort"],
];

/** Only of a full list: a short one comes from a proxy that names a few. */
function lackingIn({ supported_parameters }: Entry): CallFeature[] {
  const named = supported_parameters ?? [];
  if (!named.includes("max_tokens")) return [];
  return LISTED_PARAMETERS.flatMap(([name, feature]) => (named.includes(name) ? [] : [feature]));
}

/** A proxy may answer with all models, whatever is asked for. */
function reranks({ architecture }: Entry): boolean {
  return architecture?.output_modalities?.includes("rerank") ?? false;
}

/** Models that write beside their images answer in chats. */
function onlyDraws(entry: Entry): boolean {
  return !writesText(entry) && (entry.architecture?.output_modalities?.includes("image") ?? false);
}

export function writesText({ architecture }: Entry): boolean {
  return architecture?.output_modalities?.includes("text") ?? true;
}

export function fromOpenRouter(entry: Entry, kind: ModelKind): ListedModel {
  const { id, name, description, context_length } = entry;
  return {
    id,
    kind,
    name: shortText(name, 200),
    description: shortText(description, 500),
    maxTokens: contextTokens(context_length),
    cost: kind === "rerank" || kind === "image" ? costIfPaid(entry) : costOf(entry),
    capabilities: kind === "chat" ? capabilitiesOf(entry) : [],
    ...(kind === "chat" && lackingIn(entry).length > 0 ? { lacks: lackingIn(entry) } : {}),
  };
}
