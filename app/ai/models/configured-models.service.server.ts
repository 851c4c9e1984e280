import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { availableModels } from "./available-models.server";
import { CatalogueQuery, type ConfiguredModel, ConfiguredQuery, HUBS, type Hub } from "./catalogue.schema";
import { listCatalogue } from "./catalogue.service.server";
import { listDiscovered } from "./hub-models.server";
import { describeModel, settingsById } from "./model-description.server";
import { isRecommended } from "./model-families.server";
import type { ModelSettingsRow } from "./model-settings.repo.server";
import { readModelSettings } from "./model-settings.service.server";
import type { ActiveModel, EditedModel } from "./model-views.schema";
import type { ListedModel } from "./models.schema";
import { listModels } from "./models.service.server";
import { addedModel, canonicalId } from "./provider-models.server";
import { findProviderType } from "./providers/index.server";

interface Entry {
  upstream: ListedModel;
  source: Hub | "custom";
  provider: string;
  downloads: number | null;
  fallback: boolean;
}

function sourceOf({ source }: ModelSettingsRow): Hub | "custom" {
  return HUBS.find((hub) => hub === source) ?? "custom";
}

function entriesOf(orgId: string, rows: Iterable<ModelSettingsRow>): Entry[] {
  const discovered = listDiscovered(orgId).map(({ hub, fallback, fetchedAt: _, downloads, ...upstream }) => ({
    upstream,
    source: hub,
    provider: hub,
    downloads: downloads ?? null,
    fallback,
  }));
  const discoveredIds = new Set(discovered.map(({ upstream }) => upstream.id));
  const added = [...rows]
    .filter((row) => row.source !== null && !discoveredIds.has(row.modelId))
    .map((row) => ({
      upstream: addedModel(row),
      source: sourceOf(row),
      provider: row.providerType ?? "custom",
      downloads: row.downloads,
      fallback: false,
    }));
  return [...added, ...discovered];
}

function listAllModels(orgId: string): ConfiguredModel[] {
  const settings = settingsById(db(), orgId);
  const available = new Set(availableModels(orgId).map(({ id }) => id));
  return entriesOf(orgId, settings.values()).map(({ upstream, source, provider, downloads, fallback }) => {
    const id = canonicalId(upstream.id);
    const at = { providerType: provider, pricing: findProviderType(provider)?.pricing ?? null };
    const { price: _, mcpCapabilities: __, ...facts } = describeModel(settings, id, upstream, at);
    const row = settings.get(upstream.id);
    return {
      ...facts,
      id: upstream.id,
      provider,
      source,
      added: row !== undefined && row.source !== null,
      callable: available.has(id),
      fallback,
      downloads,
    };
  });
}

/** Models discovered on hubs or added by an admin. */
export function listConfiguredModels(actor: Actor, { search, filter }: ConfiguredQuery): ConfiguredModel[] {
  authorise(actor, "providers.manage");
  const words = search.toLowerCase();
  return listAllModels(actor.orgId).filter(
    ({ source, id, name, provider, description }) =>
      (filter === "all" || source === filter) &&
      [id, name, provider, description ?? ""].some((text) => text.toLowerCase().includes(words)),
  );
}

/** Number of models that `listConfiguredModels` returns without a search or filter. */
export function countConfiguredModels(actor: Actor): number {
  authorise(actor, "providers.manage");
  return entriesOf(actor.orgId, settingsById(db(), actor.orgId).values()).length;
}

export function listActiveModels(actor: Actor): ActiveModel[] {
  authorise(actor, "providers.manage");
  const models = availableModels(actor.orgId).map(({ provider: entry, price, ...model }): ActiveModel => {
    const { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden } = model;
    const facts = { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden };
    return {
      ...facts,
      first: entry.row.displayName,
      overridden: price?.source === "admin",
    };
  });
  const builtIn = listModels(actor).filter((model) => model.providerId === null);
  return [
    ...models,
    ...builtIn.map((model) => ({
      ...model,
      kind: "chat" as const,
      first: null,
      hidden: false,
      overridden: false,
    })),
  ];
}

/** @throws AppError `not_found` for an unknown model */
export function readEditedModel(actor: Actor, id: string): EditedModel {
  authorise(actor, "providers.manage");
  const lists = [
    () => listActiveModels(actor),
    () => listConfiguredModels(actor, ConfiguredQuery.parse({})),
    () => listCatalogue(actor, CatalogueQuery.parse({})),
  ];
  for (const list of lists) {
    const model = list().find((model) => model.id === id);
    if (!model) continue;
    const { name, maxTokens, cost, capabilities, recommended } = model;
    return {
      model: { id, name, maxTokens, cost, capabilities, recommended },
      settings: readModelSettings(actor, id),
      listedRecommended: isRecommended(canonicalId(id)),
    };
  }
  throw new AppError("not_found", "Model not found. It may have been removed.");
}
