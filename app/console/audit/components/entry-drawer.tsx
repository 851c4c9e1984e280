import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { AuditEntry, DescribedEntry } from "~/platform/audit/audit.schema";
import { LinkButton } from "~/ui/button";
import { MissingDialog } from "~/ui/confirm-dialog";
import { Dialog } from "~/ui/dialog";
import { HeadCell, Table } from "~/ui/table";
import { formatUtc } from "~/ui/time";
import { fieldLabel } from "../entry-labels.shared";
import { auditAddress } from "./audit-address";

interface EntryDrawerProps {
  entry: DescribedEntry | undefined;
  people: People;
  closeTo: string;
}

export function EntryDrawer({ entry, people, closeTo }: EntryDrawerProps) {
  if (!entry)
    return (
      <MissingDialog
        message="Entry not found. It was dropped at a checkpoint, or you don't have access to it."
        closeTo={closeTo}
      />
    );
  return (
    <Dialog title={entry.sentence} closeTo={closeTo} position="side">
      <Details entry={entry} people={people} />
    </Dialog>
  );
}

const textOf = (value: unknown) =>
  value === undefined || value === null || value === ""
    ? "—"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

function Details({ entry, people }: { entry: AuditEntry; people: People }) {
  const { action, address, createdAt, details, resource, userId } = entry;
  const filterAddress = (filter: Parameters<typeof auditAddress>[0]) =>
    auditAddress({ ...filter, range: "all" });
  const resourceLink = /deleted|removed|dropped/.test(action) ? undefined : resourceAddress(resource);
  return (
    <div className="space-y-4">
      <dl className="grid items-baseline gap-x-4 max-sm:gap-y-0.5 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <Term name="Actor">
          <Filter to={filterAddress({ person: userId })}>
            {actorName({ ...entry, resource: "" }, people)}
          </Filter>
        </Term>
        <Term name="Time">{formatUtc(Date.parse(createdAt), "medium")}</Term>
        <Term name="Action">
          <Filter to={filterAddress({ action })}>{action}</Filter>
        </Term>
        <Term name="Resource">
          <Filter to={filterAddress({ resource })}>{resource}</Filter>
        </Term>
        <Term name="Address">
          {address ? <Filter to={filterAddress({ address })}>{address}</Filter> : "—"}
        </Term>
        <Term name="Entry">{entry.id}</Term>
        {Object.entries(details).map(([name, value]) => (
          <Term key={name} name={fieldLabel(name)}>
            {textOf(value)}
          </Term>
        ))}
      </dl>
      <ChangedFields before={entry.before} after={entry.after} />
      {resourceLink && <LinkButton to={resourceLink}>Open Resource</LinkButton>}
    </div>
  );
}

function ChangedFields({ before, after }: Pick<AuditEntry, "before" | "after">) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return null;
  return (
    <Table caption="Changed fields">
      <thead>
        <tr>
          <HeadCell>Field</HeadCell>
          <HeadCell>Before</HeadCell>
          <HeadCell>After</HeadCell>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field} className="border-line border-t align-top first:border-t-0">
            <th scope="row" className="px-3 py-2 font-medium text-xs sm:px-4">
              {fieldLabel(field)}
            </th>
            <td className="wrap-anywhere px-3 py-2 text-xs sm:px-4">{textOf(before?.[field])}</td>
            <td className="wrap-anywhere px-3 py-2 text-xs sm:px-4">{textOf(after?.[field])}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Term({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted text-xs sm:py-1.5">{name}</dt>
      <dd className="wrap-anywhere min-w-0 content-center text-xs max-sm:mb-2.5 max-sm:min-h-6 sm:py-1.5">
        {children}
      </dd>
    </>
  );
}

function Filter({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="inline-flex min-h-6 items-center break-all text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
    >
      {children}
    </Link>
  );
}

/** The screen of each kind of resource, by its id if it has an address. */
const SCREENS: Readonly<Record<string, (id: string) => string>> = {
  backup: () => "/settings/system",
  budget: () => "/usage/budgets",
  category: () => "/rag/categories",
  document: (id) => `/rag/${id}`,
  group: () => "/settings/members",
  key: () => "/settings/keys",
  model: () => "/settings/providers/models",
  persona: () => "/personas",
  plugin: () => "/extensions?tab=installed",
  prompt: () => "/prompts",
  provider: () => "/settings/providers",
  run: (id) => `/workflows/runs/${id}`,
  user: () => "/settings/members",
  workflow: (id) => `/workflows/${id}`,
};

export function resourceAddress(resource: string): string | undefined {
  const [kind = "", ...rest] = resource.split(":");
  const id = rest.join(":");
  return id && Object.hasOwn(SCREENS, kind) ? SCREENS[kind]?.(encodeURIComponent(id)) : undefined;
}
