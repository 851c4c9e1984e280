import { capabilitiesOf, isRecommended } from "./model-families.server";
import { CAPABILITIES, type Capability } from "./model-options.shared";
import { DEFAULT_CONTEXT_TOKENS } from "./model-settings.schema";
import type { ListedModel, ModelCost } from "./models.schema";
import { listFacts } from "./price-list.server";
import { appliesTo, costOf, type SettingsById, type TokenPrice } from "./pricing.service.server";
import { canonicalId } from "./provider-entry.server";

export const UNKNOWN_COST: ModelCost = { input: null, output: null };

/** Facts of a model, each from its most reliable source. */
export interface ModelDescription {
  name: string;
  /** Context length in tokens; the contract's default where it is unknown. */
  maxTokens: number;
  /** Context length in tokens, where it is known. */
  contextLength: number | undefined;
  price: TokenPrice | null;
  /** Displayed price; 0 for a custom model without one (section 9), which has no price for calls. */
  cost: ModelCost;
  capabilities: Capability[];
  recommended: boolean;
  enhanced: boolean;
  mcpCapabilities: string[];
  hidden: boolean;
  /** Number of groups that it is limited to; 0 for everyone. */
  groups: number;
  description?: string | undefined;
  downloads?: number | undefined;
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
  const guessed = (upstream.kind ?? "chat") === "chat" ? capabilitiesOf(upstream.id) : [];
  const capabilities = declared ?? upstream.capabilities ?? guessed;
  const enhanced = capabilities.includes("function-calling");
  const description = override?.description ?? upstream.description ?? catalogFacts?.description;
  const upstreamName = id === upstreamId ? (upstream.name ?? catalogFacts?.name) : undefined;
  const priced = { ...at, model: upstream.id, requestedModel: id };
  const price = costOf(priced, settings, upstream.cost);
  const contextLength = override?.maxTokens ?? upstream.maxTokens ?? catalogFacts?.maxTokens;
  const free = override?.source === "custom" && override.providerType !== null && appliesTo(override, priced);
  return {
    name: override?.name ?? upstreamName ?? id,
    maxTokens: contextLength ?? DEFAULT_CONTEXT_TOKENS,
    contextLength,
    price,
    cost: price?.cost ?? (free ? { input: 0, output: 0 } : UNKNOWN_COST),
    capabilities,
    recommended: override?.recommended ?? isRecommended(id),
    enhanced,
    mcpCapabilities: enhanced ? ["tools"] : [],
    hidden: override?.hidden ?? false,
    groups: override?.groups?.length ?? 0,
    description: description || undefined,
    downloads: settings.get(upstream.id)?.downloads ?? undefined,
  };
}
