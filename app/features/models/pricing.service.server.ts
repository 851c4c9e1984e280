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

/** Such as Groq's for `https://api.groq.com/openai/v1`. */
export function pricingOfAddress(baseUrl: string): string | null {
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
  return [requested, own].filter((set) => set !== undefined);
}

type PricedAt = Pick<PricedModel, "model" | "providerType"> & Partial<Pick<PricedModel, "providerId">>;

/** Whether a custom model's settings apply to a provider: to named ones, else to those of its type. */
export function appliesTo(set: Settings, { model, providerType, providerId }: PricedAt): boolean {
  if (set.source !== "custom") return true;
  const targets = ModelRouting.safeParse(set.routing ?? {}).data?.targets ?? [];
  if (targets.length === 0) return set.providerType === null || set.providerType === providerType;
  return targets.some(
    (target) => target.model === model && (providerId === undefined || target.providerId === providerId),
  );
}

/** Prices above the list: an admin's, zero for own hardware, the provider's. */
function priceAboveList(
  settings: readonly Settings[],
  at: PricedAt,
  own: () => ListedModel["cost"],
): TokenPrice | undefined {
  for (const set of settings) {
    if (set.inputCost === null || set.outputCost === null || !appliesTo(set, at)) continue;
    return { cost: { input: set.inputCost, output: set.outputCost }, source: "admin" };
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
  const above = priceAboveList(settings, priced, () => own);
  if (above) return above;
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
  const set = settingsOf(orgId);
  const [requested, own] = [canonicalId(priced.requestedModel ?? model), canonicalId(model)];
  const settings = settingsForPrice(set.get(requested), set.get(own));
  const above = priceAboveList(settings, priced, () =>
    providerId === null ? undefined : upstreamModel(orgId, providerId, model)?.cost,
  );
  if (above && above.cost.input === 0 && above.cost.output === 0) return 0;
  const { input, output } = tokens;
  if (typeof input !== "number" || typeof output !== "number") return null;
  // Dollars per thousand times tokens are thousandths of a dollar.
  if (above) return Math.round((above.cost.input * input + above.cost.output * output) * 1000);
  const pricing = pricingOf(priced);
  if (pricing === null) return null;
  const cached = { cacheRead: tokens.cacheRead ?? 0, cacheWrite: tokens.cacheWrite ?? 0 };
  const dollars = costByPriceList(pricing, model, { input, output, ...cached });
  return dollars === null ? null : Math.round(dollars * 1e6);
}
