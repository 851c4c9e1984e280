import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { searchMatcher } from "~/core/language/find-terms";
import { authorise } from "~/platform/rights/authorization.server";
import {
  type ActiveModel,
  type CatalogueModel,
  CatalogueQuery,
  type CatalogueView,
  type ConfiguredModel,
  ConfiguredQuery,
} from "./catalogue.schema";
import { describeModel, type ModelDescription, UNKNOWN_COST } from "./model-description.server";
import { isRecommended } from "./model-families.server";
import { HUBS, type Hub } from "./model-options.shared";
import type { EditedModel } from "./model-settings.schema";
import { readModelSettings } from "./model-settings.service.server";
import { listDiscovered } from "./models.repo.server";
import type { ListedModel, ModelKind } from "./models.schema";
import { type AvailableModel, availableModels, leftOutOf, listModels } from "./models.service.server";
import { listCatalogueEntries, PRICE_LIST } from "./price-list.server";
import { settingsById } from "./pricing.service.server";
import { addedModel, canonicalId } from "./provider-entry.server";
import { findProviderType } from "./providers/index.server";
import { servedKind } from "./router/candidates.server";

interface KnownModel {
  id: string;
  kind: ModelKind;
  maker: string;
  providers: number;
}

function toCatalogue(
  { maker, ...model }: KnownModel,
  { price, downloads: _, contextLength: __, groups: ___, ...facts }: ModelDescription,
): CatalogueModel {
  return {
    ...facts,
    ...model,
    provider: maker,
    cost: price?.cost ?? UNKNOWN_COST,
    priceSource: price?.source ?? null,
    pricesAt: price?.source === "list" ? PRICE_LIST.date : null,
    callable: model.providers > 0,
  };
}

function fromProvider(
  maker: string,
  { id, kind, provider: _, providers, ...facts }: AvailableModel,
): CatalogueModel {
  return toCatalogue({ id, kind, maker, providers }, facts);
}

/** Current models of the price list, then the providers' others. */
function listKnownModels(orgId: string): CatalogueModel[] {
  const settings = settingsById(orgId);
  const available = new Map(availableModels(orgId).map((model) => [model.id, model]));
  const models = new Map<string, CatalogueModel>();
  for (const { id: ownId, kind, maker } of listCatalogueEntries()) {
    const id = canonicalId(ownId);
    if (models.has(id)) continue;
    const served = available.get(id);
    if (served) models.set(id, fromProvider(maker, served));
    else {
      const facts = describeModel(settings, id, { id: ownId, kind }, { providerType: maker, pricing: maker });
      models.set(id, toCatalogue({ id, kind, maker, providers: 0 }, facts));
    }
  }
  for (const [id, model] of available) {
    if (!models.has(id)) models.set(id, fromProvider(model.provider.type.value, model));
  }
  return [...models.values()];
}

export function countCatalogueModels(): number {
  return new Set(listCatalogueEntries().map(({ id }) => canonicalId(id))).size;
}

const FILTERS: Record<CatalogueQuery["filter"], (model: CatalogueModel) => boolean> = {
  all: () => true,
  callable: (model) => model.callable,
  recommended: (model) => model.recommended,
  embedding: (model) => model.kind === "embedding",
  rerank: (model) => model.kind === "rerank",
  image: (model) => model.kind === "image",
  audio: (model) => model.kind === "transcription" || model.kind === "speech",
  hidden: (model) => model.hidden,
};

export function listCatalogue(actor: Actor, { search, filter }: CatalogueQuery): CatalogueModel[] {
  authorise(actor, "screens.read");
  const matches = searchMatcher(search);
  return listKnownModels(actor.orgId).filter(
    (model) => FILTERS[filter](model) && matches(`${model.id} ${model.name} ${model.provider}`),
  );
}

const PAGE_SIZE = 50;

type Key = (model: CatalogueModel) => string | number | undefined;

const KEYS: Record<CatalogueView["sort"], Key> = {
  name: (model) => model.name.toLocaleLowerCase("en-US"),
  maker: (model) => model.provider,
  context: (model) => model.maxTokens,
  input: (model) => model.cost.input ?? undefined,
  output: (model) => model.cost.output ?? undefined,
};

/** Unknown values last in both directions; ties by id. */
function compareBy(a: CatalogueModel, b: CatalogueModel, key: Key, direction: 1 | -1): number {
  const [left, right] = [key(a), key(b)];
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  if (left !== right) return left < right ? -direction : direction;
  return a.id < b.id ? -1 : 1;
}

/** One page, sorted, with the date of the newest price list in use. */
export function viewCatalogue(actor: Actor, view: CatalogueView) {
  const matches = listCatalogue(actor, view);
  const makers = [...new Set(matches.map((model) => model.provider))].sort();
  const filtered = matches.filter((model) => view.maker === "" || model.provider === view.maker);
  const pages = Math.max(1, Math.ceil(filtered.length / PAGE_SIZE));
  const page = Math.min(view.page, pages);
  const direction = view.order === "asc" ? 1 : -1;
  const sorted = filtered.sort((a, b) => compareBy(a, b, KEYS[view.sort], direction));
  const dates = filtered.flatMap((model) => model.pricesAt ?? []).sort();
  return {
    models: sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    total: filtered.length,
    page,
    pages,
    makers,
    pricesAt: dates.at(-1) ?? null,
  };
}

interface ConfiguredEntry {
  upstream: ListedModel;
  source: Hub | "custom";
  provider: string;
  downloads: number | null;
  fallback: boolean;
}

/** Models that an admin added, then those discovered on hubs. */
function listConfiguredEntries(orgId: string): ConfiguredEntry[] {
  const discovered = listDiscovered(db(), orgId).map(
    ({ hub, fallback, fetchedAt: _, downloads, ...upstream }) => ({
      upstream,
      source: hub,
      provider: hub,
      downloads: downloads ?? null,
      fallback,
    }),
  );
  const discoveredIds = new Set(discovered.map(({ upstream }) => upstream.id));
  const added = [...settingsById(orgId).values()]
    .filter((row) => row.source !== null && !discoveredIds.has(row.modelId))
    .map((row) => ({
      upstream: addedModel(row),
      source: HUBS.find((hub) => hub === row.source) ?? ("custom" as const),
      provider: row.providerType ?? "custom",
      downloads: row.downloads,
      fallback: false,
    }));
  return [...added, ...discovered];
}

/** Models discovered on hubs or added by an admin. */
export function listConfiguredModels(actor: Actor, { search, filter }: ConfiguredQuery): ConfiguredModel[] {
  authorise(actor, "providers.manage");
  const settings = settingsById(actor.orgId);
  const available = new Set(availableModels(actor.orgId).map(({ id }) => id));
  const models = listConfiguredEntries(actor.orgId).map(({ upstream, ...entry }) => {
    const id = canonicalId(upstream.id);
    const at = { providerType: entry.provider, pricing: findProviderType(entry.provider)?.pricing ?? null };
    const {
      price: _,
      mcpCapabilities: __,
      groups: ___,
      ...facts
    } = describeModel(settings, id, upstream, at);
    const added = (settings.get(upstream.id)?.source ?? null) !== null;
    return { ...facts, ...entry, id: upstream.id, added, callable: available.has(id) };
  });
  const matches = searchMatcher(search);
  return models.filter(
    ({ source, id, name, provider, description = "" }) =>
      (filter === "all" || source === filter) && matches(`${id} ${name} ${provider} ${description}`),
  );
}

/** Number of models that `listConfiguredModels` returns without a search or filter. */
export function countConfiguredModels(actor: Actor): number {
  authorise(actor, "providers.manage");
  return listConfiguredEntries(actor.orgId).length;
}

export function listActiveModels(actor: Actor): ActiveModel[] {
  authorise(actor, "providers.manage");
  const models = availableModels(actor.orgId).map((model): ActiveModel => {
    const { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden } = model;
    const facts = { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden };
    const overridden = model.price?.source === "admin";
    const first = model.provider.row.displayName;
    return { ...facts, groups: model.groups, first, overridden, leftOut: leftOutOf(actor.orgId, id) };
  });
  const builtIn = listModels(actor).filter((model) => model.providerId === null);
  const own = {
    kind: "chat" as const,
    first: null,
    hidden: false,
    groups: 0,
    overridden: false,
    leftOut: [],
  };
  return [...models, ...builtIn.map((model) => ({ ...model, ...own }))];
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
      kind: servedKind(actor.orgId, id),
    };
  }
  throw new AppError("not_found", "Model not found. It may have been removed.");
}
