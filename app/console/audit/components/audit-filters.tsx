import { Form } from "@remix-run/react";
import { authorName, type People } from "~/platform/audit/actor-name.shared";
import type { AuditScreenQuery } from "~/platform/audit/audit.schema";
import { ACTION_FILTERS, type DateRange } from "~/platform/audit/audit.shared";
import { ActiveFilters } from "~/ui/active-filters";
import { Button, LinkButton } from "~/ui/button";
import { Field, Select } from "~/ui/input";
import { SearchInput } from "~/ui/search-input";
import { auditAddress, isFiltered } from "./audit-address";

const ACTIONS: Record<(typeof ACTION_FILTERS)[number], string> = {
  all: "All actions",
  user: "Users",
  provider: "Providers",
  document: "Documents",
  workflow: "Workflows",
  extension: "Extensions",
};

const RANGES: Record<DateRange, string> = {
  "1d": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "All time",
};

const isOffered = (action: string): action is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, action);

export function AuditFilters({ query, people }: { query: AuditScreenQuery; people: People }) {
  const { action = "all", address, person, range, resource, search } = query;
  const narrowed = {
    person: person && authorName({ userId: person }, people),
    resource,
    address,
  };
  const filters = Object.entries(narrowed).flatMap(([name, value]) =>
    value
      ? { name, value, without: auditAddress({ ...query, [name]: undefined, cursor: undefined, limit: 100 }) }
      : [],
  );
  return (
    <>
      <Form
        method="get"
        action="/audit"
        aria-label="Filter audit logs"
        className="mb-4 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-end"
      >
        {Object.entries({ person, resource, address }).map(
          ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <Field label="Search" name="search" hideLabel className="col-span-2 sm:min-w-52 sm:flex-1">
          <SearchInput key={search} placeholder="Search audit logs..." defaultValue={search ?? ""} />
        </Field>
        <Field label="Action" name="action" hideLabel className="sm:w-40">
          <Select key={action} defaultValue={action} onChange={submit}>
            {ACTION_FILTERS.map((value) => (
              <option key={value} value={value}>
                {ACTIONS[value]}
              </option>
            ))}
            {!isOffered(action) && <option value={action}>{action}</option>}
          </Select>
        </Field>
        <Field label="Date range" name="range" hideLabel className="sm:w-40">
          <Select key={range} defaultValue={range} onChange={submit}>
            {Object.entries(RANGES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Button className={isFiltered(query) ? undefined : "max-sm:col-span-2"}>Filter</Button>
        {isFiltered(query) && <LinkButton to="/audit">Clear</LinkButton>}
      </Form>
      <ActiveFilters filters={filters} />
    </>
  );
}

const submit = ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
  currentTarget.form?.requestSubmit();
