import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import {
  describeModel,
  type ModelDescription,
  type SettingsById,
  settingsById,
} from "./model-description.server";
import { type ListedModel, type ModelKind, ModelRouting } from "./models.schema";
import { findPricing } from "./pricing.service.server";
import { baseUrlOf, hasRequiredKey } from "./provider-call.server";
import { canonicalId, enabledProviders, modelsOf, type ProviderEntry } from "./provider-models.server";

/** Served by at least one enabled provider with its key. */
export interface AvailableModel extends ModelDescription {
  id: string;
  kind: ModelKind;
  /** The first provider that serves it. */
  provider: ProviderEntry;
  providers: number;
}

/** The provider's price list, if any. */
export function pricingFor({ config, type }: Pick<ProviderEntry, "config" | "type">): string | null {
  return type.pricing ?? findPricing(baseUrlOf(config, type));
}

interface ServedModel {
  provider: ProviderEntry;
  upstream: ListedModel;
  providerIds: Set<string>;
}

/** Providers with their own id for a model, set by an admin. */
function targetsOf(settings: SettingsById): { id: string; providerId: string; model: string }[] {
  return [...settings.values()].flatMap(({ modelId, routing }) => {
    const parsed = ModelRouting.safeParse(routing ?? {});
    return (parsed.data?.targets ?? []).map((target) => ({ id: canonicalId(modelId), ...target }));
  });
}

function findAvailable(orgId: string, providers: readonly ProviderEntry[]): AvailableModel[] {
  const settings = settingsById(db(), orgId);
  const modelsById = new Map<string, ServedModel>();
  const add = (id: string, provider: ProviderEntry, upstream: ListedModel) => {
    const existing = modelsById.get(id);
    if (existing) existing.providerIds.add(provider.row.id);
    else if (id !== OFFLINE_MODEL)
      modelsById.set(id, { provider, upstream, providerIds: new Set([provider.row.id]) });
  };
  const lists = new Map(providers.map((provider) => [provider.row.id, modelsOf(provider)]));
  for (const provider of providers) {
    for (const upstream of lists.get(provider.row.id) ?? [])
      add(canonicalId(upstream.id), provider, upstream);
  }
  for (const { id, providerId, model } of targetsOf(settings)) {
    const provider = providers.find(({ row }) => row.id === providerId);
    const upstream = lists.get(providerId)?.find((item) => item.id === model);
    if (provider) add(id, provider, upstream ?? { id: model });
  }
  const pricing = new Map(providers.map((provider) => [provider.row.id, pricingFor(provider)]));
  return [...modelsById].map(([id, { provider, upstream, providerIds }]) => {
    const providerId = provider.row.id;
    const source = {
      providerType: provider.type.value,
      providerId,
      pricing: pricing.get(providerId) ?? null,
    };
    const described = describeModel(settings, id, upstream, source);
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
  const providers = cache.providers.filter(({ row, type }) => hasRequiredKey(row, type));
  const key = [Math.floor(now() / DAY), ...providers.map(({ row }) => row.id)].join(" ");
  if (cache.key !== key || !cache.models) {
    const defaultProvider = readSetting(orgId, "ai.defaultProvider");
    const isOther = ({ provider }: AvailableModel) => Number(provider.type.value !== defaultProvider);
    cache.models = findAvailable(orgId, providers).sort((a, b) => isOther(a) - isOther(b));
    cache.key = key;
  }
  return cache.models;
}
