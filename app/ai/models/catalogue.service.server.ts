import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { type AvailableModel, availableModels } from "./available-models.server";
import type { CatalogueModel, CatalogueQuery } from "./catalogue.schema";
import { describeModel, type ModelDescription, settingsById, UNKNOWN_COST } from "./model-description.server";
import type { CatalogueView } from "./model-views.schema";
import type { ModelKind } from "./models.schema";
import { listCatalogueEntries, PRICE_LIST } from "./price-list.server";
import { canonicalId } from "./provider-models.server";

function toCatalogue(
  id: string,
  kind: ModelKind,
  provider: string,
  { price, downloads: _, ...facts }: ModelDescription,
  providers: number,
): CatalogueModel {
  return {
    ...facts,
    id,
    kind,
    provider,
    cost: price?.cost ?? UNKNOWN_COST,
    priceSource: price?.source ?? null,
    pricesAt: price?.source === "list" ? PRICE_LIST.date : null,
    callable: providers > 0,
    providers,
  };
}

function fromProvider(
  maker: string,
  { id, kind, provider: _, providers, ...facts }: AvailableModel,
): CatalogueModel {
  return toCatalogue(id, kind, maker, facts, providers);
}

/** Current models of the price list, then the providers' others. */
function listAllModels(orgId: string): CatalogueModel[] {
  const settings = settingsById(db(), orgId);
  const available = new Map(availableModels(orgId).map((model) => [model.id, model]));
  const models = new Map<string, CatalogueModel>();
  for (const { id: ownId, kind, maker } of listCatalogueEntries()) {
    const id = canonicalId(ownId);
    if (models.has(id)) continue;
    const served = available.get(id);
    const source = { providerType: maker, pricing: maker };
    models.set(
      id,
      served
        ? fromProvider(maker, served)
        : toCatalogue(id, kind, maker, describeModel(settings, id, { id: ownId, kind }, source), 0),
    );
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
  hidden: (model) => model.hidden,
};

export function listCatalogue(actor: Actor, { search, filter }: CatalogueQuery): CatalogueModel[] {
  authorise(actor, "screens.read");
  const words = search.toLowerCase();
  return listAllModels(actor.orgId).filter(
    (model) =>
      FILTERS[filter](model) &&
      [model.id, model.name, model.provider].some((text) => text.toLowerCase().includes(words)),
  );
}

const PAGE_SIZE = 50;

export interface CataloguePage {
  models: CatalogueModel[];
  total: number;
  page: number;
  pages: number;
  makers: string[];
  /** Date of the newest price list in use. */
  pricesAt: string | null;
}

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

/** One page of the catalogue, sorted as requested. */
export function viewCatalogue(actor: Actor, view: CatalogueView): CataloguePage {
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
