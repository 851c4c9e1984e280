import { Form, useNavigation, useSubmit } from "@remix-run/react";
import { Boxes, Compass, Plus, Search } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Input, Select } from "~/ui/input";
import { RowList } from "~/ui/row-selection";
import type { ConfiguredModel, ConfiguredQuery } from "../catalogue.schema";
import { ConfiguredModelRow, type ModelAddresses } from "./configured-model-row";

interface ModelDiscoveryProps {
  models: ConfiguredModel[];
  total: number;
  filter: ConfiguredQuery["filter"];
  search: string;
  showAll: boolean;
  addresses: ModelAddresses & { filter: string; all: string; add: string; catalogue: string };
}

const COLLAPSED_ROWS = 10;

const FILTERS: readonly { value: ConfiguredQuery["filter"]; label: string }[] = [
  { value: "all", label: "All sources" },
  { value: "huggingface", label: "Hugging Face" },
  { value: "openrouter", label: "OpenRouter" },
  { value: "custom", label: "Custom" },
];

export function ModelDiscovery(props: ModelDiscoveryProps) {
  const { models, total, showAll, addresses } = props;
  const visible = showAll ? models : models.slice(0, COLLAPSED_ROWS);
  return (
    <section aria-labelledby="discovery" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 flex-[1_1_20rem]">
          <h2 id="discovery" className="scroll-mt-20 text-md">
            Model Discovery & Management
          </h2>
          <p className="text-muted">Models from Hugging Face and OpenRouter, and your own</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <LinkButton to={addresses.catalogue}>Model Catalog</LinkButton>
          <LinkButton to={addresses.add} preventScrollReset icon={<Plus aria-hidden="true" />}>
            Add Custom Model
          </LinkButton>
          <DiscoverButton action={addresses.post} />
        </div>
      </header>
      {total > 0 && <Filter {...props} />}
      {models.length === 0 ? (
        <EmptyState
          icon={<Boxes />}
          title="No models found"
          description={
            total === 0
              ? "Click Discover Models to load models from Hugging Face and OpenRouter."
              : "Try adjusting your search or filter criteria."
          }
          action={
            total === 0 ? (
              <DiscoverButton action={addresses.post} />
            ) : (
              <LinkButton to={addresses.filter} preventScrollReset>
                Show All Models
              </LinkButton>
            )
          }
        />
      ) : (
        <RowList label="Models">
          {visible.map((model) => (
            <ConfiguredModelRow key={model.id} model={model} addresses={addresses} />
          ))}
        </RowList>
      )}
      {visible.length < models.length && (
        <LinkButton to={addresses.all} preventScrollReset className="self-start">
          Show All {models.length} Models
        </LinkButton>
      )}
    </section>
  );
}

function DiscoverButton({ action }: { action: string }) {
  const navigation = useNavigation();
  return (
    <Form method="post" action={action} preventScrollReset>
      <Button
        name="intent"
        value="discover-models"
        icon={<Compass aria-hidden="true" />}
        pending={navigation.formData?.get("intent") === "discover-models"}
      >
        Discover Models
      </Button>
    </Form>
  );
}

/** Filter and search, kept in the URL; with JavaScript, a choice submits the form. */
function Filter({ filter, search, addresses }: Pick<ModelDiscoveryProps, "filter" | "search" | "addresses">) {
  const submit = useSubmit();
  return (
    <Form
      method="get"
      action={addresses.filter}
      preventScrollReset
      className="flex flex-wrap items-center gap-2"
    >
      <Select
        key={filter}
        name="filter"
        aria-label="Source"
        defaultValue={filter}
        className="w-40"
        onChange={({ currentTarget }) => submit(currentTarget.form, { preventScrollReset: true })}
      >
        {FILTERS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Input
        key={`search ${search}`}
        type="search"
        name="search"
        aria-label="Search models"
        placeholder="Search models..."
        defaultValue={search}
        maxLength={200}
        className="w-auto flex-1 basis-48 sm:max-w-80"
      />
      <Button icon={<Search aria-hidden="true" />}>Search</Button>
    </Form>
  );
}
