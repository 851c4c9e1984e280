import type { Db } from "~/core/db.server";
import { capabilitiesOf, isRecommended } from "./model-families.server";
import { CAPABILITIES, type Capability } from "./model-options.shared";
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
  /** Context length in tokens. */
  maxTokens: number;
  price: TokenPrice | null;
  /** Displayed price; 0 for a custom model without one (section 9), which has no price for calls. */
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
 * Merges a model's facts: an admin's settings, else the provider's list, else the catalogue. An unknown model is named
 * by its id, with 4096 tokens and no price.
 * @param id the id it is shown under
 * @param upstream what the provider reports, under the provider's own id
 */
export function describeModel(
  settings: SettingsById,
  id: string,
  upstream: ListedModel,
  at: { providerType: string; providerId?: string; pricing: string | null },
): ModelDescription {
  const override = settings.get(id);
  const upstreamId = canonicalId(upstream.id);
  const catalogFacts = listFacts(at.pricing, upstream.id) ?? listFacts(null, upstreamId);
  const declared = override?.capabilities?.filter(isCapability);
  const capabilities = declared ?? upstream.capabilities ?? capabilitiesOf(upstream.id);
  const enhanced = capabilities.includes("function-calling");
  const description = override?.description ?? upstream.description ?? catalogFacts?.description;
  const downloads = settings.get(upstream.id)?.downloads ?? undefined;
  const upstreamName = id === upstreamId ? (upstream.name ?? catalogFacts?.name) : undefined;
  const priced = { ...at, model: upstream.id };
  const price = costOf(priced, settingsForPrice(override, settings.get(upstreamId)), upstream.cost);
  const free = override?.source === "custom" && override.providerType !== null && appliesTo(override, priced);
  return {
    name: override?.name ?? upstreamName ?? id,
    maxTokens: override?.maxTokens ?? upstream.maxTokens ?? catalogFacts?.maxTokens ?? DEFAULT_CONTEXT_TOKENS,
    price,
    cost: price?.cost ?? (free ? { input: 0, output: 0 } : UNKNOWN_COST),
    capabilities,
    recommended: override?.recommended ?? isRecommended(id),
    enhanced,
    mcpCapabilities: enhanced ? ["tools"] : [],
    hidden: override?.hidden ?? false,
    ...(description ? { description } : {}),
    ...(downloads === undefined ? {} : { downloads }),
  };
}
