import { Form } from "@remix-run/react";
import { ActiveFilters } from "~/ui/active-filters";
import { Button, LinkButton } from "~/ui/button";
import { Field, Input, Select } from "~/ui/input";
import type { UsageQuery } from "../usage.schema";
import { DIMENSIONS, RANGES } from "../usage.shared";
import { usageAddress } from "../usage-address.shared";
import { DIMENSION_LABELS, RANGE_LABELS } from "./usage-format";

interface UsageFiltersProps {
  query: UsageQuery;
  days: { from: string; to: string };
  narrowed: Partial<Record<UsageQuery["by"], string>>;
}

export function UsageFilters({ query, days, narrowed }: UsageFiltersProps) {
  const { by, metric, range } = query;
  const activeDimensions = DIMENSIONS.flatMap((name) =>
    query[name] === undefined ? [] : [[name, query[name]] as const],
  );
  const filters = activeDimensions.map(([name]) => ({
    name: DIMENSION_LABELS[name],
    value: narrowed[name] ?? "",
    without: usageAddress({ ...query, [name]: undefined }),
  }));
  return (
    <>
      <Form
        method="get"
        action="/usage"
        aria-label="Filter usage"
        preventScrollReset
        className="mb-4 grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap"
      >
        {metric !== "tokens" && <input type="hidden" name="metric" value={metric} />}
        {activeDimensions.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Field label="Range" name="range" className="sm:w-44">
          <Select key={range} defaultValue={range} onChange={submit}>
            {RANGES.map((value) => (
              <option key={value} value={value}>
                {RANGE_LABELS[value]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Group by" name="by" className="sm:w-36">
          <Select key={by} defaultValue={by} onChange={submit}>
            {DIMENSIONS.map((value) => (
              <option key={value} value={value}>
                {DIMENSION_LABELS[value]}
              </option>
            ))}
          </Select>
        </Field>
        {range === "custom" && (
          <>
            <Field label="From" name="from" className="sm:w-40">
              <Input key={days.from} type="date" defaultValue={days.from} />
            </Field>
            <Field label="To" name="to" className="sm:w-40">
              <Input key={days.to} type="date" defaultValue={days.to} />
            </Field>
          </>
        )}
        <Button className="max-sm:last:col-span-2">Apply</Button>
        {(filters.length > 0 || range !== "30d") && <LinkButton to="/usage">Clear</LinkButton>}
      </Form>
      <ActiveFilters filters={filters} />
    </>
  );
}

const submit = ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
  currentTarget.form?.requestSubmit();
