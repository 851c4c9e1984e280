import { calcPrice, findProvider, type ModelInfo, type Provider } from "@pydantic/genai-prices";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { DAY } from "~/core/durations";
import { kindOfId } from "./model-families.server";
import type { ModelKind } from "./models.schema";

/** Version and date of `@pydantic/genai-prices`; a test pins both. */
export const PRICE_LIST = { version: "0.1.8", date: "2026-09-23" } as const;

export interface ListFacts {
  name: string;
  maxTokens?: number;
  cost: { input: number; output: number } | null;
  description?: string;
}

const CONTEXT_TOKENS: Readonly<Record<string, number>> = {
  "gemini-2.5-pro": 1_048_576,
  "gemini-3-pro-preview": 1_048_576,
  "gemini-3.1-pro-preview": 1_048_576,
  "gemini-embedding-001": 2048,
  "command-a": 256_000,
  "command-r": 128_000,
  "command-r-plus": 128_000,
};

/** US dollars per million tokens; tiered prices by their base. */
function basePrice(price: unknown): number | undefined {
  if (typeof price === "number") return price;
  if (typeof price === "object" && price !== null && "base" in price && typeof price.base === "number") {
    return price.base;
  }
  return undefined;
}

/** Corrects names that are lower case or ambiguous in the list. */
function displayName({ id, name }: ModelInfo): string {
  if (!name || name.startsWith("text embedding") || id === "o4-mini") return id;
  return name.replace(/^gpt /, "GPT-").replace(/^gemini /, "Gemini ");
}

/** US dollars, rounded to drop binary noise. */
function perThousand(perMillion: number): number {
  return Number((perMillion / 1000).toPrecision(10));
}

const AudioPrice = z.object({ input_audio_hours: z.number().optional() });

let today = 0;
const cachedFacts = new Map<string, ListFacts | undefined>();
/** Bounded, since ids come from outside. */
const MAX_CACHED = 5000;

/**
 * A model's data from the price list; undefined for an unknown one.
 * @param pricing id of the list's provider whose prices apply; null for no price
 */
export function listFacts(pricing: string | null, modelId: string): ListFacts | undefined {
  const day = Math.floor(now() / DAY);
  if (day !== today || cachedFacts.size >= MAX_CACHED) cachedFacts.clear();
  today = day;
  const key = `${pricing}\n${modelId}`;
  if (cachedFacts.has(key)) return cachedFacts.get(key);
  const options = pricing ? { providerId: pricing } : {};
  const price = calcPrice({ input_tokens: 0, output_tokens: 0 }, modelId, options);
  const input = basePrice(price?.model_price.input_mtok);
  const output = basePrice(price?.model_price.output_mtok) ?? (kindOfId(modelId) === "chat" ? undefined : 0);
  const maxTokens = price?.model.context_window ?? CONTEXT_TOKENS[modelId];
  const facts = price && {
    name: displayName(price.model),
    maxTokens,
    cost:
      pricing === null || input === undefined || output === undefined
        ? null
        : { input: perThousand(input), output: perThousand(output) },
    description: price.model.description || undefined,
  };
  cachedFacts.set(key, facts ?? undefined);
  return facts ?? undefined;
}

/** US dollars per minute of audio, which the package itself doesn't count. */
export function listMinutePrice(pricing: string, modelId: string): number | undefined {
  if (kindOfId(modelId) !== "transcription") return undefined;
  const price = calcPrice({ input_tokens: 0, output_tokens: 0 }, modelId, { providerId: pricing });
  const perHour = AudioPrice.safeParse(price?.model_price).data?.input_audio_hours;
  return perHour === undefined ? undefined : perHour / 60;
}

/** In the catalogue's order; the first maker of a shared model wins. */
const MAKERS = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "x-ai",
  "moonshotai",
  "cohere",
  "perplexity",
  "groq",
];

const NOT_FOR_CHAT =
  /whisper|tts|image|audio|realtime|transcribe|moderation|voice|voxtral|ocr|live|omni|guard|computer-use|deep-research|search-preview|^ft:|\.ft-|:/;
/** Replaced models that the list keeps for old bills. */
const RETIRED =
  /^(ada|babbage|curie|text-davinci|davinci|gpt-3\.5-(0301|turbo-.)|gpt-4-(32k|vision)|gpt-4\.5|gpt-4o-20|o1-(mini|preview)|chatgpt-|codex-mini|claude-(2|v1|3-|4-)|gemini-(1|2\.0|pro|flash-1)|grok-2|llama2|llama3-|llama-3\.[12]|gemma-|mixtral|moonshot-v1|c4ai|command$|command-r)/;

interface CatalogueEntry {
  id: string;
  kind: ModelKind;
  maker: string;
}

function entriesOf(maker: string): CatalogueEntry[] {
  return (findProvider({ providerId: maker })?.models ?? []).flatMap(({ id, deprecated }) => {
    const foreign = maker === "google" && id.startsWith("claude-");
    if (deprecated || foreign || NOT_FOR_CHAT.test(id) || RETIRED.test(id)) return [];
    const facts = listFacts(maker, id);
    if (!facts?.cost || facts.maxTokens === undefined) return [];
    return [{ id, kind: kindOfId(id), maker }];
  });
}

let entries: CatalogueEntry[] | undefined;

/** Current models with price and length; read once, as part of the build. */
export function listCatalogueEntries(): readonly CatalogueEntry[] {
  entries ??= MAKERS.flatMap(entriesOf);
  return entries;
}

/** The lists' providers by list and model, each with that model alone: a search of the whole list dominates a call. */
const reducedProviders = new Map<string, Provider | null>();

function reducedProvider(pricing: string, model: string): Provider | null {
  const key = `${pricing}\n${model}`;
  const cached = reducedProviders.get(key);
  if (cached !== undefined) return cached;
  const price = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: pricing });
  const provider = price && { ...price.provider, models: [price.model] };
  if (reducedProviders.size >= MAX_CACHED) reducedProviders.clear();
  reducedProviders.set(key, provider);
  return provider;
}

/** Cache reads and writes are part of the input. */
export interface PricedTokens {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Of the cache writes, those for an hour. */
  cacheWrite1h?: number;
  /** Of the input, its audio. */
  audio?: number;
}

/** Cost in US dollars by `@pydantic/genai-prices`; null for an unknown model. */
export function costByPriceList(
  pricing: string,
  model: string,
  { input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, audio = 0 }: PricedTokens,
): number | null {
  const provider = reducedProvider(pricing, model);
  if (!provider) return null;
  // Some providers report more cached than input tokens, which the package rejects.
  const read = Math.min(cacheRead, input);
  const written = Math.min(cacheWrite, input - read);
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: written,
    cache_write_1h_tokens: Math.min(cacheWrite1h, written),
    ...(audio > 0 && { input_audio_tokens: Math.min(audio, input - read) }),
  };
  return calcPrice(usage, model, { provider })?.total_price ?? null;
}
