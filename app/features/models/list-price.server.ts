import { calcPrice, type ModelInfo, type Provider } from "@pydantic/genai-prices";

interface Known {
  /** The price list cut down to the one model: finding that in the whole takes longer than the rest of a small call. */
  provider: Provider;
  /** US dollars per million tokens, where the price depends on nothing else. */
  flat: { input: number; output: number; cacheRead: number; cacheWrite: number } | undefined;
}

/** Tokens of one call. What was read from a cache and written into one are parts of the input. */
interface PricedTokens {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Ids of models come from outside: the memory of them is bounded. */
const MEMORY = 5000;
const memory = new Map<string, Known | null>();

function flatPrice({ prices }: ModelInfo): Known["flat"] {
  if (Array.isArray(prices)) return undefined;
  const { input_mtok: input, output_mtok: output, requests_kcount: requests } = prices;
  if (requests !== undefined || typeof input !== "number" || typeof output !== "number") return undefined;
  // What has no price of its own costs what all input does.
  const { cache_read_mtok: cacheRead = input, cache_write_mtok: cacheWrite = input } = prices;
  if (typeof cacheRead !== "number" || typeof cacheWrite !== "number") return undefined;
  return { input, output, cacheRead, cacheWrite };
}

function lookUp(pricing: string, model: string): Known | null {
  const key = `${pricing}\n${model}`;
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: pricing });
  const made = found
    ? { provider: { ...found.provider, models: [found.model] }, flat: flatPrice(found.model) }
    : null;
  if (memory.size >= MEMORY) memory.clear();
  memory.set(key, made);
  return made;
}

/**
 * What a call costs by the dated list of `@pydantic/genai-prices`, in US dollars; null for a model that it doesn't know.
 * Prices that depend on the length or the hour are worked out by the package, which takes a tenth of a millisecond;
 * plain ones, which most are, here.
 */
export function listPrice(pricing: string, model: string, tokens: PricedTokens): number | null {
  const known = lookUp(pricing, model);
  if (!known) return null;
  const { provider, flat } = known;
  const { input, output } = tokens;
  // A provider that counts more as cached than came in is wrong somewhere, and the package would refuse to count.
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
