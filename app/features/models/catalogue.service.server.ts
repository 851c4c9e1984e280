import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { type CallableModel, callableModels } from "./callable-models.server";
import type { CatalogueModel, CatalogueQuery } from "./catalogue.schema";
import { type Described, describeModel, settingsById, UNKNOWN_COST } from "./model-description.server";
import type { ModelKind } from "./models.schema";
import { listedByMakers, PRICE_LIST } from "./price-list.server";
import { canonicalId } from "./serving.server";

function toCatalogue(
  id: string,
  kind: ModelKind,
  provider: string,
  { price, downloads: _, ...facts }: Described,
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
  { id, kind, serving: _, providers, ...facts }: CallableModel,
): CatalogueModel {
  return toCatalogue(id, kind, maker, facts, providers);
}

/** The makers' current models by the price list, then what the set-up providers serve beside them; each once. */
function everyModel(orgId: string): CatalogueModel[] {
  const settings = settingsById(db(), orgId);
  const callable = new Map(callableModels(orgId).map((model) => [model.id, model]));
  const models = new Map<string, CatalogueModel>();
  for (const { id: own, kind, maker } of listedByMakers()) {
    const id = canonicalId(own);
    if (models.has(id)) continue;
    const served = callable.get(id);
    const at = { providerType: maker, pricing: maker };
    models.set(
      id,
      served
        ? fromProvider(maker, served)
        : toCatalogue(id, kind, maker, describeModel(settings, id, { id: own, kind }, at), 0),
    );
  }
  for (const [id, model] of callable) {
    if (!models.has(id)) models.set(id, fromProvider(model.serving.type.value, model));
  }
  return [...models.values()];
}

/** Models of the build's own catalogue, for what the landing page claims. */
export function countCatalogued(): number {
  return new Set(listedByMakers().map(({ id }) => canonicalId(id))).size;
}

const FILTERS: Record<CatalogueQuery["filter"], (model: CatalogueModel) => boolean> = {
  all: () => true,
  callable: (model) => model.callable,
  recommended: (model) => model.recommended,
  embedding: (model) => model.kind === "embedding",
  hidden: (model) => model.hidden,
};

/** The models that are known, whether or not a provider that serves them is set up. */
export function listCatalogue(actor: Actor, { search, filter }: CatalogueQuery): CatalogueModel[] {
  authorise(actor, "screens.read");
  const words = search.toLowerCase();
  return everyModel(actor.orgId).filter(
    (model) =>
      FILTERS[filter](model) &&
      [model.id, model.name, model.provider].some((text) => text.toLowerCase().includes(words)),
  );
}
