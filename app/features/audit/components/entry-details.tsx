import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { HeadCell, Table } from "~/ui/table";
import type { AuditEntry } from "../audit.schema";
import { actorName, type People } from "./actor-name";
import { auditAddress } from "./audit-address";

const textOf = (value: unknown) =>
  value === undefined || value === null || value === ""
    ? "—"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** What an entry recorded: actor, resource, address, details and the changed fields. */
export function EntryDetails({ entry, people }: { entry: AuditEntry; people: People }) {
  const { address, after, before, createdAt, details, resource, userId } = entry;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const found = (filter: Parameters<typeof auditAddress>[0]) => auditAddress({ ...filter, range: "all" });
  return (
    <div className="space-y-4 bg-sunken px-4 py-4 sm:pl-9">
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <Term name="Actor">
          <Filter to={found({ person: userId })}>{actorName({ ...entry, resource: "" }, people)}</Filter>
        </Term>
        <Term name="Action">
          <Filter to={found({ action: entry.action })}>{entry.action}</Filter>
        </Term>
        <Term name="Resource">
          <Filter to={found({ resource })}>{resource}</Filter>
        </Term>
        <Term name="Address">{address ? <Filter to={found({ address })}>{address}</Filter> : "—"}</Term>
        <Term name="Time">{createdAt.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")}</Term>
        <Term name="Entry">{entry.id}</Term>
        {Object.entries(details).map(([name, value]) => (
          <Term key={name} name={name}>
            {textOf(value)}
          </Term>
        ))}
      </dl>
      {fields.length > 0 && (
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
              <tr key={field} className="align-top">
                <th scope="row" className="px-3 py-2 font-medium text-xs sm:px-4">
                  {field}
                </th>
                <td className="break-words px-3 py-2 text-xs sm:px-4">{textOf(before?.[field])}</td>
                <td className="break-words px-3 py-2 text-xs sm:px-4">{textOf(after?.[field])}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </div>
  );
}

function Term({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted text-xs sm:py-1.5">{name}</dt>
      <dd className="min-w-0 break-words text-xs max-sm:mb-1.5 sm:py-1.5">{children}</dd>
    </>
  );
}

/** Leads to all entries with the same value. */
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
