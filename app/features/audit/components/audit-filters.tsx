import { Form, Link } from "@remix-run/react";
import { Search, X } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { Field } from "~/ui/field";
import { Input, Select } from "~/ui/input";
import type { AuditScreenQuery } from "../audit.schema";
import { ACTION_FILTERS, type DateRange } from "../filters.schema";
import type { People } from "./actor-name";
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

/** Search, action and date range; the narrower filters that the entries' details lead to stand below. */
export function AuditFilters({ query, people }: { query: AuditScreenQuery; people: People }) {
  const { action = "all", address, person, range, resource, search } = query;
  const narrowed = {
    person: person && (person === "system" ? "System" : (people[person] ?? "Removed member")),
    resource,
    address,
  };
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
          <span className="relative">
            <Search
              aria-hidden="true"
              className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
            />
            <Input
              key={search}
              type="search"
              placeholder="Search audit logs..."
              defaultValue={search ?? ""}
              maxLength={200}
              className="pl-8"
            />
          </span>
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
        <Button>Filter</Button>
        {isFiltered(query) && <LinkButton to="/audit">Clear</LinkButton>}
      </Form>
      <Narrowed values={narrowed} query={query} />
    </>
  );
}

const submit = ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
  currentTarget.form?.requestSubmit();

interface NarrowedProps {
  values: Record<"person" | "resource" | "address", string | undefined>;
  query: AuditScreenQuery;
}

/** Each narrower filter, with the link that takes it away. */
function Narrowed({ values, query }: NarrowedProps) {
  const entries = Object.entries(values).filter(([, value]) => value);
  if (entries.length === 0) return null;
  return (
    <ul aria-label="Narrowed to" className="mb-4 flex flex-wrap gap-2">
      {entries.map(([name, value]) => (
        <li key={name} className="min-w-0 max-w-full">
          <Link
            to={auditAddress({ ...query, [name]: undefined, cursor: undefined, limit: 100 })}
            aria-label={`Remove filter: ${name} ${value}`}
            className="flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-raised px-2.5 text-xs hover:border-edge pointer-coarse:min-h-11"
          >
            <span className="text-muted first-letter:uppercase">{name}</span>
            <span className="truncate">{value}</span>
            <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
