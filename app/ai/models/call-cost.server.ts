import { calcPrice, type ModelInfo, type Provider } from "@pydantic/genai-prices";

interface Known {
  /** Reduced to one model: searching the whole list dominates a small call. */
  provider: Provider;
  /** US dollars per million tokens; undefined for conditional prices. */
  flat: { input: number; output: number; cacheRead: number; cacheWrite: number } | undefined;
}

/** Cache reads and writes are part of the input. */
interface PricedTokens {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Bounded, since ids come from outside. */
const MAX_CACHED = 5000;
const memory = new Map<string, Known | null>();

function flatPrice({ prices }: ModelInfo): Known["flat"] {
  if (Array.isArray(prices)) return undefined;
  const { input_mtok: input, output_mtok: output, requests_kcount: requests } = prices;
  if (requests !== undefined || typeof input !== "number" || typeof output !== "number") return undefined;
  // Defaults to the input's price.
  const { cache_read_mtok: cacheRead = input, cache_write_mtok: cacheWrite = input } = prices;
  if (typeof cacheRead !== "number" || typeof cacheWrite !== "number") return undefined;
  return { input, output, cacheRead, cacheWrite };
}

function lookUp(pricing: string, model: string): Known | null {
  const key = `${pricing}\n${model}`;
  const cached = memory.get(key);
  if (cached !== undefined) return cached;
  const price = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: pricing });
  const cost = price
    ? { provider: { ...price.provider, models: [price.model] }, flat: flatPrice(price.model) }
    : null;
  if (memory.size >= MAX_CACHED) memory.clear();
  memory.set(key, cost);
  return cost;
}

/**
 * Cost in US dollars by `@pydantic/genai-prices`; null for an unknown model. The package computes conditional prices in
 * 0.1 ms; flat ones are computed here.
 */
export function costByPriceList(pricing: string, model: string, tokens: PricedTokens): number | null {
  const listPrices = lookUp(pricing, model);
  if (!listPrices) return null;
  const { provider, flat } = listPrices;
  const { input, output } = tokens;
  // Some providers report more cached than input tokens, which the package rejects.
  const read = Math.min(tokens.cacheRead ?? 0, input);
  const write = Math.min(tokens.cacheWrite ?? 0, input - read);
  if (flat) {
    const plain = input - read - write;
    const millionths =
      flat.input * plain + flat.cacheRead * read + flat.cacheWrite * write + flat.output * output;
    return millionths / 1e6;
  }
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
  };
  return calcPrice(usage, model, { provider })?.total_price ?? null;
}
