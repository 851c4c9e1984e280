import { Badge, StatusDot } from "~/ui/badge";
import { cx } from "~/ui/class-names";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { EnvironmentEntry } from "../environment.schema";

const SOURCES = {
  environment: "Environment",
  file: ".env file",
  generated: "Data folder",
  default: "Default",
  none: "—",
} as const;

/** Hidden on phones, where the status says the same. */
const WIDE = "max-sm:hidden";

export function EnvironmentList({ entries }: { entries: EnvironmentEntry[] }) {
  return (
    <Table caption="Environment variables">
      <thead>
        <tr>
          <HeadCell>Variable</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell>Source</HeadCell>
          <HeadCell className={WIDE}>Value</HeadCell>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <TableRow key={entry.name}>
            <Cell>
              <span className="block break-all font-mono text-xs">{entry.name}</span>
              <span className="text-muted text-xs">{entry.description}</span>
            </Cell>
            <Cell>
              <Status entry={entry} />
            </Cell>
            <Cell className="whitespace-nowrap text-muted text-xs">{SOURCES[entry.source]}</Cell>
            <Cell className={WIDE}>
              <span aria-hidden="true" className={cx("text-muted", entry.masked ? "font-mono" : "text-xs")}>
                {entry.masked || "—"}
              </span>
              <span className="sr-only">{entry.present ? "Hidden" : "None"}</span>
            </Cell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

function Status({ entry }: { entry: EnvironmentEntry }) {
  // Set in the data folder, not in the environment.
  if (entry.present || entry.source === "generated")
    return (
      <Badge tone="success" icon={<StatusDot tone="success" />}>
        {entry.present ? "Set" : "Generated"}
      </Badge>
    );
  if (entry.required)
    return (
      <Badge tone="danger" icon={<StatusDot tone="danger" />}>
        Required, not set
      </Badge>
    );
  return <Badge>Not set</Badge>;
}
