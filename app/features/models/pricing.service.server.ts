import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { findProviderType } from "./providers/index.server";

/** The price list that holds for an address, such as Groq's for `https://api.groq.com/openai/v1`; none for others. */
export function pricingOfAddress(baseUrl: string): string | null {
  return findProvider({ providerApiUrl: baseUrl })?.id ?? null;
}

/** The price list of a provider type; null where the address decides. */
export function pricingOfType(providerType: string): string | null {
  return findProviderType(providerType)?.pricing ?? null;
}

/** What a call costs in millionths of a US dollar; null where the price isn't known. */
export function priceOf(
  pricing: string,
  modelId: string,
  inputTokens: number,
  outputTokens: number,
): number | null {
  const price = calcPrice({ input_tokens: inputTokens, output_tokens: outputTokens }, modelId, {
    providerId: pricing,
  });
  return price ? Math.round(price.total_price * 1e6) : null;
}
