import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { DAY } from "~/core/durations";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { capabilitiesOf, isRecommended } from "./model-families.server";
import { CAPABILITIES, type Capability } from "./model-options.shared";
import { DEFAULT_CONTEXT_TOKENS } from "./model-settings.schema";
import type { ListedModel, ModelCost, ModelKind } from "./models.schema";
import { listFacts } from "./price-list.server";
import {
  appliesTo,
  costOf,
  findPricing,
  type SettingsById,
  settingsById,
  type TokenPrice,
} from "./pricing.service.server";
import {
  baseUrlOf,
  canonicalId,
  enabledProviders,
  hasRequiredKey,
  modelsOf,
  type ProviderEntry,
  readRouting,
} from "./provider-entry.server";

/** Served by at least one enabled provider with its key. */
export interface AvailableModel extends ModelDescription {
  id: string;
  kind: ModelKind;
  provider: ProviderEntry;
  providers: number;
}

export function pricingFor(entry: ProviderEntry): string | null {
  return entry.type.pricing ?? findPricing(baseUrlOf(entry));
}

interface ServedModel {
  provider: ProviderEntry;
  upstream: ListedModel;
  providerIds: Set<string>;
}

function findAvailable(orgId: string, providers: readonly ProviderEntry[]): AvailableModel[] {
  const settings = settingsById(orgId);
  const modelsById = new Map<string, ServedModel>();
  const add = (id: string, provider: ProviderEntry, upstream: ListedModel) => {
    const existing = modelsById.get(id);
    if (existing) existing.providerIds.add(provider.row.id);
    else if (id !== OFFLINE_MODEL)
      modelsById.set(id, { provider, upstream, providerIds: new Set([provider.row.id]) });
  };
  const lists = new Map(providers.map((provider) => [provider, modelsOf(provider.row)]));
  for (const [provider, models] of lists) {
    for (const upstream of models) add(canonicalId(upstream.id), provider, upstream);
  }
  for (const row of settings.values()) {
    for (const { providerId, model } of readRouting(row).targets) {
      const provider = providers.find(({ row }) => row.id === providerId);
      const upstream = provider && lists.get(provider)?.find((item) => item.id === model);
      if (provider) add(canonicalId(row.modelId), provider, upstream ?? { id: model });
    }
  }
  const pricing = new Map(providers.map((provider) => [provider, pricingFor(provider)]));
  return [...modelsById].map(([id, { provider, upstream, providerIds }]) => {
    const { row, type } = provider;
    const at = { providerType: type.value, providerId: row.id, pricing: pricing.get(provider) ?? null };
    const described = describeModel(settings, id, upstream, at);
    return { id, kind: upstream.kind ?? "chat", provider, providers: providerIds.size, ...described };
  });
}

interface Cache {
  providers: ProviderEntry[];
  /** Cache key: available keys and the day. */
  key?: string;
  models?: readonly AvailableModel[];
}

const cacheFor = cachedByConfig<Cache>(["models", "settings:ai"], (orgId) => ({
  providers: enabledProviders(orgId),
}));

/**
 * Available models by canonical id: the default provider's first, then by priority. Includes embedding and hidden
 * models.
 */
export function availableModels(orgId: string): readonly AvailableModel[] {
  const cache = cacheFor(orgId);
  // Keys depend on the environment, which isn't part of the configuration.
  const providers = cache.providers.filter(hasRequiredKey);
  const key = [Math.floor(now() / DAY), ...providers.map(({ row }) => row.id)].join(" ");
  if (cache.key !== key || !cache.models) {
    const defaultProvider = readSetting(orgId, "ai.defaultProvider");
    const isOther = ({ provider }: AvailableModel) => Number(provider.type.value !== defaultProvider);
    cache.models = findAvailable(orgId, providers).sort((a, b) => isOther(a) - isOther(b));
    cache.key = key;
  }
  return cache.models;
}

export const UNKNOWN_COST: ModelCost = { input: null, output: null };

/** Facts of a model, each from its most reliable source. */
export interface ModelDescription {
  name: string;
  maxTokens: number;
  price: TokenPrice | null;
  /** Displayed price; 0 for a custom model without one (section 9), which has no price for calls. */
  cost: ModelCost;
  capabilities: Capability[];
  recommended: boolean;
  enhanced: boolean;
  mcpCapabilities: string[];
  hidden: boolean;
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
  const capabilities = declared ?? upstream.capabilities ?? capabilitiesOf(upstream.id);
  const enhanced = capabilities.includes("function-calling");
  const description = override?.description ?? upstream.description ?? catalogFacts?.description;
  const upstreamName = id === upstreamId ? (upstream.name ?? catalogFacts?.name) : undefined;
  const priced = { ...at, model: upstream.id, requestedModel: id };
  const price = costOf(priced, settings, upstream.cost);
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
    description: description || undefined,
    downloads: settings.get(upstream.id)?.downloads ?? undefined,
  };
}
