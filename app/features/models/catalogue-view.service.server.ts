import type { Actor } from "~/core/actor";
import type { CatalogueModel } from "./catalogue.schema";
import { listCatalogue } from "./catalogue.service.server";
import type { CatalogueView } from "./model-views.schema";

/** Rows on a page. */
const PAGE = 50;

export interface CataloguePage {
  models: CatalogueModel[];
  /** How many fit the search and the filters. */
  total: number;
  page: number;
  pages: number;
  /** Every maker that the search finds, for the filter. */
  makers: string[];
  /** Date of the newest price list that prices here are from. */
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

/** What isn't known is last, whichever way the rest goes; equals go by their ids. */
function compare(a: CatalogueModel, b: CatalogueModel, key: Key, direction: 1 | -1): number {
  const [left, right] = [key(a), key(b)];
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  if (left !== right) return left < right ? -direction : direction;
  return a.id < b.id ? -1 : 1;
}

/** One page of the catalogue in the order its address asks for. */
export function viewCatalogue(actor: Actor, view: CatalogueView): CataloguePage {
  const found = listCatalogue(actor, view);
  const makers = [...new Set(found.map((model) => model.provider))].sort();
  const fitting = found.filter((model) => view.maker === "" || model.provider === view.maker);
  const pages = Math.max(1, Math.ceil(fitting.length / PAGE));
  const page = Math.min(view.page, pages);
  const direction = view.order === "asc" ? 1 : -1;
  const sorted = fitting.sort((a, b) => compare(a, b, KEYS[view.sort], direction));
  const dates = fitting.flatMap((model) => model.pricesAt ?? []).sort();
  return {
    models: sorted.slice((page - 1) * PAGE, page * PAGE),
    total: fitting.length,
    page,
    pages,
    makers,
    pricesAt: dates.at(-1) ?? null,
  };
}
