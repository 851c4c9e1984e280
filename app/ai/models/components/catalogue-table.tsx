import { Pencil, Plus } from "lucide-react";
import { StatusDot } from "~/ui/badge";
import { IconLink } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Cell, HeadCell, SortLink, Table, TableRow } from "~/ui/table";
import type { CatalogueModel, CatalogueView } from "../catalogue.schema";
import {
  CapabilityList,
  FilterForm,
  FilterSelect,
  formatPerMillion,
  NameCell,
  PriceCell,
} from "./model-list-parts";

const ADD_PROVIDER = "/settings/providers?dialog=add-provider";
const editTo = (model: string) =>
  `/settings/providers/models?${new URLSearchParams({ dialog: "edit-model", model })}`;

interface CatalogueTableProps {
  models: CatalogueModel[];
  view: Pick<CatalogueView, "sort" | "order">;
  sortTo: (sort: CatalogueView["sort"], order: CatalogueView["order"]) => string;
}

/** Only where there is room; the filter above the table has the maker, and the model's cell the capabilities. */
const IF_WIDE = "max-2xl:hidden";
/** The model's cell has these figures on phones. */
const BEYOND_PHONES = "max-sm:hidden";

const COLUMNS: readonly { sort: CatalogueView["sort"]; label: string; align?: "right"; from?: string }[] = [
  { sort: "name", label: "Model" },
  { sort: "maker", label: "Maker", from: IF_WIDE },
  { sort: "context", label: "Context", align: "right", from: BEYOND_PHONES },
  { sort: "input", label: "Input / 1M", align: "right", from: BEYOND_PHONES },
  { sort: "output", label: "Output / 1M", align: "right", from: BEYOND_PHONES },
];

export function CatalogueTable({ models, view, sortTo }: CatalogueTableProps) {
  const columns = COLUMNS.map(({ sort, ...column }) => {
    const isSorted = view.sort === sort;
    const to = sortTo(sort, isSorted && view.order === "asc" ? "desc" : "asc");
    const direction = view.order === "asc" ? ("ascending" as const) : ("descending" as const);
    return { ...column, sort, to, sorted: isSorted ? direction : undefined };
  });
  const table = (
    <Table caption="Models" dense>
      <thead>
        <tr>
          {columns.map(({ sort, label, align, from, to, sorted }) => (
            <HeadCell key={sort} align={align ?? "left"} className={from} sortTo={to} sorted={sorted}>
              <span className="whitespace-nowrap">{label}</span>
            </HeadCell>
          ))}
          <HeadCell className={IF_WIDE}>Capabilities</HeadCell>
          <HeadCell>
            <span className="whitespace-nowrap">Available</span>
          </HeadCell>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <CatalogueRow key={`${model.provider} ${model.id}`} model={model} />
        ))}
      </tbody>
    </Table>
  );
  return (
    <>
      <ul
        aria-label="Sort by"
        className="flex flex-wrap items-center gap-x-4 font-medium text-muted text-xs sm:hidden"
      >
        <li aria-hidden="true">Sort by</li>
        {columns
          .filter(({ from }) => from === BEYOND_PHONES)
          .map(({ sort, label, to, sorted }) => (
            <li key={sort}>
              <SortLink to={to} sorted={sorted}>
                {label}
                {sorted && <span className="sr-only">, {sorted}</span>}
              </SortLink>
            </li>
          ))}
      </ul>
      {table}
    </>
  );
}

function CatalogueRow({ model }: { model: CatalogueModel }) {
  const { maxTokens, cost } = model;
  return (
    <TableRow>
      <NameCell {...model} className="min-w-44 leading-4.5 2xl:min-w-56">
        <CapabilityList model={model} wraps />
        <span className="block text-muted sm:hidden">
          {formatCount(maxTokens)} tokens · {formatPerMillion(cost.input)} in, {formatPerMillion(cost.output)}{" "}
          out per 1M
        </span>
      </NameCell>
      <Cell className={IF_WIDE}>
        <span className="whitespace-nowrap">{model.provider}</span>
      </Cell>
      <Cell align="right" className={BEYOND_PHONES}>
        {formatCount(maxTokens)}
      </Cell>
      <PriceCell price={cost.input} className={BEYOND_PHONES} />
      <PriceCell price={cost.output} className={BEYOND_PHONES} />
      <Cell className={IF_WIDE}>
        <CapabilityList model={model} />
      </Cell>
      <Cell>
        <span className="flex items-center justify-between gap-1.5 whitespace-nowrap">
          <span className="flex items-center gap-1.5">
            <StatusDot tone={model.callable ? "success" : "neutral"} />
            {model.callable ? "Yes" : "No"}
          </span>
          {model.callable ? (
            <IconLink to={editTo(model.id)} label={`Edit ${model.name}`} icon={<Pencil />} />
          ) : (
            <IconLink to={ADD_PROVIDER} label={`Add a provider for ${model.name}`} icon={<Plus />} />
          )}
        </span>
      </Cell>
    </TableRow>
  );
}

const FILTERS: readonly { value: CatalogueView["filter"]; label: string }[] = [
  { value: "all", label: "All models" },
  { value: "callable", label: "Available now" },
  { value: "recommended", label: "Recommended" },
  { value: "embedding", label: "Embeddings" },
  { value: "rerank", label: "Rerankers" },
  { value: "image", label: "Images" },
  { value: "audio", label: "Audio" },
];

export function CatalogueFilter({ view, makers }: { view: CatalogueView; makers: string[] }) {
  const { filter, maker, search, sort, order } = view;
  const listed = maker === "" || makers.includes(maker) ? makers : [maker, ...makers];
  const options = listed.map((name) => ({ value: name, label: name }));
  return (
    <FilterForm search={search} searchLabel="Search the catalog">
      <input type="hidden" name="sort" value={sort} />
      <input type="hidden" name="order" value={order} />
      <FilterSelect name="filter" label="Model filter" value={filter} options={FILTERS} />
      <FilterSelect
        name="maker"
        label="Maker"
        value={maker}
        options={[{ value: "", label: "All makers" }, ...options]}
      />
    </FilterForm>
  );
}
