import { Form, useNavigation } from "@remix-run/react";
import { Boxes, Compass, Eye, EyeOff, Pencil, Plus, Star, StarOff, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { countOf, formatCount } from "~/ui/format";
import { SectionHeader } from "~/ui/page-header";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import type { ConfiguredModel, ConfiguredQuery } from "../catalogue.schema";
import { HUB_LABELS } from "../model-options.shared";
import { FilterForm, FilterSelect, formatPerMillion } from "./model-list-parts";

interface ModelDiscoveryProps {
  models: ConfiguredModel[];
  total: number;
  filter: ConfiguredQuery["filter"];
  search: string;
  showAll: boolean;
  addresses: ModelAddresses & { filter: string; all: string; add: string; catalogue: string };
}

const COLLAPSED_ROWS = 10;

const SOURCES: Record<ConfiguredModel["source"], string> = { ...HUB_LABELS, custom: "Custom" };
const FILTERS = [
  { value: "all", label: "All sources" },
  ...Object.entries(SOURCES).map(([value, label]) => ({ value, label })),
];

export function ModelDiscovery(props: ModelDiscoveryProps) {
  const { models, total, filter, search, showAll, addresses } = props;
  const visible = showAll ? models : models.slice(0, COLLAPSED_ROWS);
  return (
    <section aria-labelledby="discovery" className="flex flex-col gap-4">
      <SectionHeader
        id="discovery"
        title="Model Discovery & Management"
        subtitle="Models from Hugging Face and OpenRouter, and your own"
        actions={
          <>
            <LinkButton to={addresses.catalogue}>Model Catalog</LinkButton>
            <LinkButton to={addresses.add} preventScrollReset icon={<Plus aria-hidden="true" />}>
              Add Custom Model
            </LinkButton>
            <DiscoverButton action={addresses.post} />
          </>
        }
      />
      {total > 0 && (
        <FilterForm action={addresses.filter} search={search} searchLabel="Search models">
          <FilterSelect name="filter" label="Source" value={filter} options={FILTERS} />
        </FilterForm>
      )}
      {models.length === 0 ? (
        <EmptyState
          compact
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

interface ModelAddresses {
  post: string;
  dialog: (dialog: "edit-model" | "remove-model", model: string) => string;
}

interface ConfiguredModelRowProps {
  model: ConfiguredModel;
  addresses: ModelAddresses;
}

export function ConfiguredModelRow({ model, addresses }: ConfiguredModelRowProps) {
  const facts = [
    model.name !== model.id && model.id,
    SOURCES[model.source],
    `${formatCount(model.maxTokens)} tokens`,
    model.cost.input !== null &&
      `${formatPerMillion(model.cost.input)} in, ${formatPerMillion(model.cost.output)} out per 1M`,
    model.downloads !== null && countOf(model.downloads, "download"),
    model.capabilities.join(", "),
  ].filter(Boolean);
  return (
    <Row
      name={model.name}
      icon={<Boxes aria-hidden="true" />}
      meta={facts.join(" · ")}
      details={
        model.description && (
          <p className="truncate text-muted text-xs" title={model.description}>
            {model.description}
          </p>
        )
      }
      badges={<States model={model} />}
      aside={!model.added && <AddButton model={model} post={addresses.post} />}
      actions={actionsFor(model, addresses)}
    />
  );
}

function States({ model }: { model: ConfiguredModel }) {
  return (
    <>
      {model.callable && <Badge tone="success">Available</Badge>}
      {model.added && !model.callable && <Badge tone="info">Added, no provider</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.hidden && <Badge tone="warning">Hidden</Badge>}
      {model.fallback && <Badge tone="warning">Fallback</Badge>}
    </>
  );
}

function AddButton({ model, post }: { model: ConfiguredModel; post: string }) {
  const navigation = useNavigation();
  const adding =
    navigation.formData?.get("intent") === "add-model" && navigation.formData.get("model") === model.id;
  return (
    <Form method="post" action={post} preventScrollReset>
      <input type="hidden" name="model" value={model.id} />
      <Button size="sm" name="intent" value="add-model" pending={adding} aria-label={`Add ${model.name}`}>
        Add
      </Button>
    </Form>
  );
}

function actionsFor(model: ConfiguredModel, { post, dialog }: ModelAddresses): RowAction[] {
  const change = (label: string, icon: ReactNode, intent: string) => ({
    label,
    icon,
    post,
    values: { intent, model: model.id },
  });
  return [
    { label: "Edit", icon: <Pencil />, to: dialog("edit-model", model.id) },
    model.recommended
      ? change("Stop Recommending", <StarOff />, "unrecommend-model")
      : change("Recommend", <Star />, "recommend-model"),
    model.hidden ? change("Show", <Eye />, "show-model") : change("Hide", <EyeOff />, "hide-model"),
    ...(model.added ? [{ label: "Remove", icon: <Trash2 />, to: dialog("remove-model", model.id) }] : []),
  ];
}
