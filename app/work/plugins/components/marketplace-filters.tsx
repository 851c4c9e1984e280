import { Form, Link } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { Field, GroupedOptions, Select } from "~/ui/input";
import { usePageAddress } from "~/ui/page-address";
import { SearchInput } from "~/ui/search-input";
import { PLUGIN_CATEGORIES } from "../categories.shared";
import type { PluginScreenQuery } from "../plugins.schema";
import { PluginIcon } from "./plugin-icon";

const PRICES = { all: "All prices", free: "Free", premium: "Premium", enterprise: "Enterprise" };
const SORTS = { featured: "Featured", popular: "Most installed", newest: "Newest", rated: "Highest rated" };

function submit(event: React.ChangeEvent<HTMLSelectElement>) {
  event.currentTarget.form?.requestSubmit();
}

interface FilterSelectProps {
  label: string;
  name: string;
  value: string;
  options: Readonly<Record<string, string>>;
}

function FilterSelect({ label, name, value, options }: FilterSelectProps) {
  return (
    <Field label={label} name={name} hideLabel className="sm:w-36 xl:w-40">
      <Select key={value} defaultValue={value} onChange={submit}>
        <GroupedOptions
          options={Object.entries(options).map(([option, text]) => ({ value: option, label: text }))}
        />
      </Select>
    </Field>
  );
}

export function MarketplaceFilters({ query }: { query: PluginScreenQuery }) {
  const { search, category = "", price, sort } = query;
  const isFiltered = search !== "" || category !== "" || price !== "all";
  const categories = {
    "": "All categories",
    ...Object.fromEntries(PLUGIN_CATEGORIES.map((one) => [one.id, one.name])),
  };
  return (
    <Form
      method="get"
      action="/extensions"
      role="search"
      preventScrollReset
      className="mb-4 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-end"
    >
      <Field
        label="Search plugins"
        name="search"
        hideLabel
        className="col-span-2 sm:flex-1 sm:max-xl:basis-full"
      >
        <SearchInput key={search} placeholder="Search plugins..." defaultValue={search} />
      </Field>
      <FilterSelect label="Category" name="category" value={category} options={categories} />
      <FilterSelect label="Price" name="price" value={price} options={PRICES} />
      <FilterSelect label="Sort" name="sort" value={sort} options={SORTS} />
      <Button>Filter</Button>
      {isFiltered && (
        <LinkButton to="/extensions" preventScrollReset className="max-sm:col-span-2">
          Clear
        </LinkButton>
      )}
    </Form>
  );
}

interface CategoryCardsProps {
  query: PluginScreenQuery;
  /** Undefined if they couldn't be read. */
  counts: Readonly<Record<string, number>> | undefined;
}

export function CategoryCards({ query, counts }: CategoryCardsProps) {
  const address = usePageAddress();
  return (
    <nav aria-label="Categories" className="mb-6">
      <ul className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
        {PLUGIN_CATEGORIES.map(({ id, name, icon, description }) => {
          const isChosen = query.category === id;
          return (
            <li key={id}>
              <Link
                to={address({ category: isChosen ? undefined : id })}
                preventScrollReset
                aria-current={isChosen ? "true" : undefined}
                className={cx(
                  "flex h-full flex-col gap-2 rounded-lg border p-3 shadow-card transition-colors",
                  isChosen
                    ? "border-primary-ink bg-primary-soft"
                    : "border-line bg-surface hover:border-edge",
                )}
              >
                <span className="flex items-center gap-2">
                  <PluginIcon name={icon} className="size-7" />
                  <span className="min-w-0 truncate font-medium text-sm">{name}</span>
                </span>
                <span className="text-muted text-xs">{description}</span>
                {counts && (
                  <span className="mt-auto text-muted text-xs">{countOf(counts[id] ?? 0, "plugin")}</span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
