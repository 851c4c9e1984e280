import { findProvider } from "@pydantic/genai-prices";
import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { costByPriceList } from "./call-cost.server";
import { listModelSettings, type ModelSettingsRow } from "./model-settings.repo.server";
import { type ListedModel, ModelRouting } from "./models.schema";
import { listFacts } from "./price-list.server";
import { canonicalId, upstreamModel } from "./provider-models.server";
import { findProviderType } from "./providers/index.server";

export interface PricedModel {
  model: string;
  /** The requested id, if different. */
  requestedModel?: string | undefined;
  providerId: string | null;
  providerType: string;
  /** The provider's price list; by its type if undefined, none if null. */
  pricing?: string | null | undefined;
}

/** US dollars per 1,000 tokens, with their source. */
export interface TokenPrice {
  cost: { input: number; output: number };
  source: "admin" | "local" | "provider" | "list";
}

/** Finds a price list by address, such as Groq's for `https://api.groq.com/openai/v1`. */
export function findPricing(baseUrl: string): string | null {
  return findProvider({ providerApiUrl: baseUrl })?.id ?? null;
}

function pricingOf({ pricing, providerType }: Omit<PricedModel, "providerId">): string | null {
  return pricing === undefined ? (findProviderType(providerType)?.pricing ?? null) : pricing;
}

type Settings = Pick<
  ModelSettingsRow,
  "modelId" | "source" | "providerType" | "inputCost" | "outputCost" | "routing"
>;

/** Settings under the requested id, then under the provider's. */
export function settingsForPrice(requested: Settings | undefined, own: Settings | undefined): Settings[] {
  return [requested, own].filter((settings) => settings !== undefined);
}

type PricedAt = Pick<PricedModel, "model" | "providerType"> & Partial<Pick<PricedModel, "providerId">>;

/** Whether a custom model's settings apply to a provider: a target, or without targets one of its type. */
export function appliesTo(settings: Settings, { model, providerType, providerId }: PricedAt): boolean {
  if (settings.source !== "custom") return true;
  const targets = ModelRouting.safeParse(settings.routing ?? {}).data?.targets ?? [];
  if (targets.length === 0) return settings.providerType === null || settings.providerType === providerType;
  return targets.some(
    (target) => target.model === model && (providerId === undefined || target.providerId === providerId),
  );
}

/** Prices that override the list: an admin's, zero for local hardware, the provider's. */
function overridingPrice(
  settings: readonly Settings[],
  at: PricedAt,
  own: () => ListedModel["cost"],
): TokenPrice | undefined {
  for (const entry of settings) {
    if (entry.inputCost === null || entry.outputCost === null || !appliesTo(entry, at)) continue;
    return { cost: { input: entry.inputCost, output: entry.outputCost }, source: "admin" };
  }
  if (at.providerType === "built-in" || findProviderType(at.providerType)?.local) {
    return { cost: { input: 0, output: 0 }, source: "local" };
  }
  const cost = own();
  return cost && { cost, source: "provider" };
}

/**
 * A model's price at a provider, as it is shown: an admin's price overrides the provider's own list, which overrides
 * the dated list of `@pydantic/genai-prices`. Null if unknown.
 * @param settings the model's settings (`settingsForPrice`)
 * @param own the price in the provider's list
 */
export function costOf(
  priced: Omit<PricedModel, "providerId"> & PricedAt,
  settings: readonly Settings[],
  own: ListedModel["cost"],
): TokenPrice | null {
  const override = overridingPrice(settings, priced, () => own);
  if (override) return override;
  const pricing = pricingOf(priced);
  const cost = pricing === null ? null : listFacts(pricing, priced.model)?.cost;
  return cost ? { cost, source: "list" } : null;
}

const settingsOf = cachedByConfig(
  ["models"],
  (orgId) => new Map(listModelSettings(db(), orgId).map((row) => [row.modelId, row])),
);

type Count = number | null | undefined;

/** Cache reads and writes are part of the input. */
interface CountedTokens {
  input: Count;
  output: Count;
  cacheRead?: Count;
  cacheWrite?: Count;
}

/**
 * Cost in millionths of a US dollar; null if the price or a count is unknown. List prices may be conditional, others
 * are flat.
 */
export function priceFor(orgId: string, priced: PricedModel, tokens: CountedTokens): number | null {
  const { model, providerId } = priced;
  const settingsById = settingsOf(orgId);
  const [requested, own] = [canonicalId(priced.requestedModel ?? model), canonicalId(model)];
  const settings = settingsForPrice(settingsById.get(requested), settingsById.get(own));
  const override = overridingPrice(settings, priced, () =>
    providerId === null ? undefined : upstreamModel(orgId, providerId, model)?.cost,
  );
  if (override && override.cost.input === 0 && override.cost.output === 0) return 0;
  const { input, output } = tokens;
  if (typeof input !== "number" || typeof output !== "number") return null;
  // Dollars per thousand times tokens are thousandths of a dollar.
  if (override) return Math.round((override.cost.input * input + override.cost.output * output) * 1000);
  const pricing = pricingOf(priced);
  if (pricing === null) return null;
  const cached = { cacheRead: tokens.cacheRead ?? 0, cacheWrite: tokens.cacheWrite ?? 0 };
  const dollars = costByPriceList(pricing, model, { input, output, ...cached });
  return dollars === null ? null : Math.round(dollars * 1e6);
}
