import { Form, useSubmit } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button } from "~/ui/button";
import { Input, Select } from "~/ui/input";
import type { CatalogueView } from "../model-views.schema";

interface CatalogueFilterProps {
  view: CatalogueView;
  makers: string[];
}

const FILTERS: readonly { value: CatalogueView["filter"]; label: string }[] = [
  { value: "all", label: "All models" },
  { value: "callable", label: "Available now" },
  { value: "recommended", label: "Recommended" },
  { value: "embedding", label: "Embeddings" },
];

/** Search, maker and filter, kept in the URL; with JavaScript, a choice submits the form. */
export function CatalogueFilter({ view, makers }: CatalogueFilterProps) {
  const submit = useSubmit();
  const send = (form: HTMLFormElement | null) => submit(form, { preventScrollReset: true });
  return (
    <Form method="get" preventScrollReset className="flex flex-wrap items-center gap-2">
      <input type="hidden" name="sort" value={view.sort} />
      <input type="hidden" name="order" value={view.order} />
      <Select
        key={`filter ${view.filter}`}
        name="filter"
        aria-label="Model filter"
        defaultValue={view.filter}
        className="w-40"
        onChange={({ currentTarget }) => send(currentTarget.form)}
      >
        {FILTERS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        key={`maker ${view.maker}`}
        name="maker"
        aria-label="Maker"
        defaultValue={view.maker}
        className="w-40"
        onChange={({ currentTarget }) => send(currentTarget.form)}
      >
        <option value="">All makers</option>
        {view.maker && !makers.includes(view.maker) && <option>{view.maker}</option>}
        {makers.map((maker) => (
          <option key={maker}>{maker}</option>
        ))}
      </Select>
      <Input
        key={`search ${view.search}`}
        type="search"
        name="search"
        aria-label="Search the catalog"
        placeholder="Search models..."
        defaultValue={view.search}
        maxLength={200}
        className="w-auto flex-1 basis-48 sm:max-w-80"
      />
      <Button icon={<Search aria-hidden="true" />}>Search</Button>
    </Form>
  );
}
