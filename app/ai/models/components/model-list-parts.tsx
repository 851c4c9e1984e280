import { Form, useSubmit } from "@remix-run/react";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { Input, Select } from "~/ui/input";
import { Cell } from "~/ui/table";
import { CAPABILITY_LABELS, type Capability } from "../model-options.shared";
import type { ModelKind } from "../models.schema";

/** Nearly all models have the others. */
const NOTABLE: readonly Capability[] = ["vision", "function-calling", "reasoning"];

const KIND_LABELS: Readonly<Record<Exclude<ModelKind, "chat">, string>> = {
  embedding: "Embedding",
  rerank: "Reranker",
  image: "Images",
  transcription: "Transcription",
  speech: "Speech",
};

interface CapabilityListProps {
  model: { recommended: boolean; enhanced: boolean; kind: ModelKind; capabilities: readonly Capability[] };
  hidden?: boolean;
  wraps?: boolean;
}

/** Notable capabilities on one line, all of them on hover. */
export function CapabilityList({ model, hidden, wraps }: CapabilityListProps) {
  const notable = model.capabilities.filter((capability) => NOTABLE.includes(capability));
  const isPlain = notable.length === 0 && model.kind === "chat";
  const labels = (capabilities: readonly Capability[]) =>
    capabilities.map((capability) => CAPABILITY_LABELS[capability]).join(", ");
  return (
    <span
      title={labels(model.capabilities) || undefined}
      className={cx(
        "text-muted text-xs leading-5 *:mr-1.5 *:align-middle",
        !wraps && "block whitespace-nowrap leading-6",
      )}
    >
      {hidden && <Badge tone="warning">Hidden</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.enhanced && <Badge tone="secondary">MCP</Badge>}
      {model.kind !== "chat" && <Badge tone="info">{KIND_LABELS[model.kind]}</Badge>}
      {labels(isPlain ? ["text"] : notable)}
    </span>
  );
}

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

export function formatPrice(price: number | null | undefined): string {
  return price === null || price === undefined ? "—" : dollars.format(price);
}

const perMillion = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** Of a price per 1K tokens, as the API and the settings have it, the one per 1M that providers list. */
export const formatPerMillion = (price: number | null | undefined): string =>
  price === null || price === undefined ? "—" : perMillion.format(price * 1000);

interface PriceCellProps {
  /** Per 1K tokens. */
  price: number | null | undefined;
  note?: string | false;
  /** As of `Cell`. */
  label?: string | undefined;
  className?: string;
}

export function PriceCell({ price, note, label, className }: PriceCellProps) {
  return (
    <Cell align="right" label={label} className={className}>
      <span
        className="tabular-nums"
        title={price == null ? undefined : `${formatPrice(price)} per 1K tokens`}
      >
        {formatPerMillion(price)}
      </span>
      {note && <span className="block text-muted text-xs">{note}</span>}
    </Cell>
  );
}

/** What else is in the cell stands beside the ID on laptops, below it on phones, and in a column of its own in wide windows. */
export function NameCell({ name, id, className, children }: NameCellProps) {
  return (
    <Cell className={cx(children != null && "xl:max-2xl:w-full xl:max-2xl:max-w-0")}>
      <span title={name} className={cx("wrap-anywhere block", className)}>
        {name}
      </span>
      <span className="block text-xs leading-5 xl:max-2xl:truncate">
        {name !== id && <span className="mr-2 break-all font-mono text-muted text-xs leading-4">{id}</span>}
        {children != null && <span className="max-xl:block 2xl:hidden">{children}</span>}
      </span>
    </Cell>
  );
}

interface NameCellProps {
  name: string;
  id: string;
  className: string;
  children?: ReactNode;
}

interface FilterFormProps {
  action?: string;
  search: string;
  searchLabel: string;
  children: ReactNode;
}

/** Filters and a search, kept in the URL. */
export function FilterForm({ action, search, searchLabel, children }: FilterFormProps) {
  return (
    <Form method="get" action={action} preventScrollReset className="flex flex-wrap items-center gap-2">
      {children}
      <Input
        key={`search ${search}`}
        type="search"
        name="search"
        aria-label={searchLabel}
        placeholder="Search models..."
        defaultValue={search}
        maxLength={200}
        className="w-auto flex-1 basis-48 sm:max-w-80"
      />
      <Button icon={<Search aria-hidden="true" />}>Search</Button>
    </Form>
  );
}

interface FilterSelectProps {
  name: string;
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
}

/** With JavaScript, a choice submits the form. */
export function FilterSelect({ name, label, value, options }: FilterSelectProps) {
  const submit = useSubmit();
  return (
    <Select
      key={`${name} ${value}`}
      name={name}
      aria-label={label}
      defaultValue={value}
      className="w-40"
      onChange={({ currentTarget }) => submit(currentTarget.form, { preventScrollReset: true })}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </Select>
  );
}
