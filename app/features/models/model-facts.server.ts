import { calcPrice } from "@pydantic/genai-prices";
import type { Capability } from "./models.schema";

/** What is known of a model beyond its id. */
export interface ModelFacts {
  name: string;
  maxTokens: number;
  /** US dollars per 1,000 tokens. */
  cost: { input: number; output: number } | null;
  description?: string;
}

/** Section 9 of the specification: where nobody gives a context length. */
const UNKNOWN_LENGTH = 4096;

/** A price per million tokens, which is one number or grows with the length of the prompt. */
function basePrice(price: unknown): number | undefined {
  if (typeof price === "number") return price;
  if (typeof price === "object" && price !== null && "base" in price && typeof price.base === "number") {
    return price.base;
  }
  return undefined;
}

const known = new Map<string, ModelFacts>();
/** Ids come from outside: the memory of them is bounded. */
const MEMORY = 5000;

/**
 * Name, context length and price of a model, from `@pydantic/genai-prices` (dated, part of the build). An unknown model
 * has its id for a name, 4096 tokens and no price.
 *
 * @param pricing id of the price list, or null where none holds
 */
export function modelFacts(pricing: string | null, modelId: string): ModelFacts {
  const key = `${pricing}\n${modelId}`;
  const cached = known.get(key);
  if (cached) return cached;
  const found = pricing
    ? calcPrice({ input_tokens: 0, output_tokens: 0 }, modelId, { providerId: pricing })
    : null;
  const input = basePrice(found?.model_price.input_mtok);
  const output = basePrice(found?.model_price.output_mtok);
  const facts: ModelFacts = {
    name: found?.model.name ?? modelId,
    maxTokens: found?.model.context_window ?? UNKNOWN_LENGTH,
    cost: input === undefined || output === undefined ? null : { input: input / 1000, output: output / 1000 },
    ...(found?.model.description ? { description: found.model.description } : {}),
  };
  if (known.size >= MEMORY) known.clear();
  known.set(key, facts);
  return facts;
}

/** Families of models by how their ids begin: the providers' lists name no capabilities. */
const FAMILIES: readonly (readonly [RegExp, readonly Capability[]])[] = [
  [
    /(^|\/)(gpt-5|o[134])/,
    ["text", "vision", "function-calling", "analysis", "reasoning", "code", "conversational"],
  ],
  [
    /(^|\/)(gpt-4o|gpt-4\.1|chatgpt-4o)/,
    ["text", "vision", "function-calling", "analysis", "code", "conversational"],
  ],
  [/(^|\/)gpt-(4|3\.5)/, ["text", "function-calling", "code", "conversational"]],
  [/(^|\/)claude-3-/, ["text", "vision", "function-calling", "analysis", "code", "conversational"]],
  [
    /(^|\/)claude-/,
    ["text", "vision", "function-calling", "analysis", "reasoning", "code", "conversational"],
  ],
  [
    /(^|\/)gemini-/,
    ["text", "vision", "function-calling", "analysis", "reasoning", "code", "conversational"],
  ],
];

export function capabilitiesOf(modelId: string): Capability[] {
  const family = FAMILIES.find(([pattern]) => pattern.test(modelId));
  return family ? [...family[1]] : ["text"];
}

/** What we would pick for somebody who has no preference: able, quick and cheap, one per provider. */
const RECOMMENDED = new Set(["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]);

export function isRecommended(modelId: string): boolean {
  return RECOMMENDED.has(modelId);
}
