import type { Db } from "~/core/db.server";
import { CAPABILITIES, type Capability } from "./capabilities.shared";
import { capabilitiesOf, isRecommended } from "./model-families.server";
import { listModelSettings, type ModelSettingsRow } from "./model-settings.repo.server";
import { DEFAULT_CONTEXT_TOKENS } from "./model-settings.schema";
import type { ListedModel, ModelCost } from "./models.schema";
import { listFacts } from "./price-list.server";
import { appliesTo, costOf, settingsForPrice, type TokenPrice } from "./pricing.service.server";
import { canonicalId } from "./provider-models.server";

export type SettingsById = ReadonlyMap<string, ModelSettingsRow>;

export function settingsById(db: Db, orgId: string): SettingsById {
  return new Map(listModelSettings(db, orgId).map((row) => [row.modelId, row]));
}

export const UNKNOWN_COST: ModelCost = { input: null, output: null };

/** Facts of a model, each from its most reliable source. */
export interface ModelDescription {
  name: string;
  /** Length of its context in tokens. */
  maxTokens: number;
  price: TokenPrice | null;
  /** Displayed price. Section 9: 0 for a custom model without one, which isn't charged as such. */
  cost: ModelCost;
  capabilities: Capability[];
  recommended: boolean;
  enhanced: boolean;
  mcpCapabilities: string[];
  hidden: boolean;
  description?: string;
  downloads?: number;
}

function isCapability(value: string): value is Capability {
  return CAPABILITIES.some((capability) => capability === value);
}

/**
 * Merges a model's facts: what an admin set, else the provider's list, else the catalogue. An unknown model has its id
 * for a name, 4096 tokens and no price.
 * @param id the id it is shown under
 * @param upstream what the provider reports, under the provider's own id
 */
export function describeModel(
  settings: SettingsById,
  id: string,
  upstream: ListedModel,
  at: { providerType: string; providerId?: string; pricing: string | null },
): ModelDescription {
  const set = settings.get(id);
  const own = canonicalId(upstream.id);
  const catalogFacts = listFacts(at.pricing, upstream.id) ?? listFacts(null, own);
  const declared = set?.capabilities?.filter(isCapability);
  const capabilities = declared ?? upstream.capabilities ?? capabilitiesOf(upstream.id);
  const enhanced = capabilities.includes("function-calling");
  const description = set?.description ?? upstream.description ?? catalogFacts?.description;
  const downloads = settings.get(upstream.id)?.downloads ?? undefined;
  const itsName = id === own ? (upstream.name ?? catalogFacts?.name) : undefined;
  const place = { ...at, model: upstream.id };
  const price = costOf(place, settingsForPrice(set, settings.get(own)), upstream.cost);
  const free = set?.source === "custom" && set.providerType !== null && appliesTo(set, place);
  return {
    name: set?.name ?? itsName ?? id,
    maxTokens: set?.maxTokens ?? upstream.maxTokens ?? catalogFacts?.maxTokens ?? DEFAULT_CONTEXT_TOKENS,
    price,
    cost: price?.cost ?? (free ? { input: 0, output: 0 } : UNKNOWN_COST),
    capabilities,
    recommended: set?.recommended ?? isRecommended(id),
    enhanced,
    mcpCapabilities: enhanced ? ["tools"] : [],
    hidden: set?.hidden ?? false,
    ...(description ? { description } : {}),
    ...(downloads === undefined ? {} : { downloads }),
  };
}
