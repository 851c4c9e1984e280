import { Download, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { RelativeTime } from "~/ui/time";
import type { Checkpoint } from "../checkpoints.schema";

interface CheckpointTableProps {
  checkpoints: readonly Checkpoint[];
  dropTo: (upTo: number) => string;
}

export function CheckpointTable({ checkpoints, dropTo }: CheckpointTableProps) {
  return (
    <Table caption="Sealed entries">
      <thead>
        <tr>
          <HeadCell>Up to entry</HeadCell>
          <HeadCell align="right">Entries</HeadCell>
          <HeadCell>Sealed</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell align="right">Actions</HeadCell>
        </tr>
      </thead>
      <tbody>
        {checkpoints.map(({ upToSeq, entries, createdAt, droppedAt }) => (
          <TableRow key={upToSeq}>
            <Cell className="tabular-nums">{formatCount(upToSeq)}</Cell>
            <Cell align="right" className="tabular-nums">
              {formatCount(entries)}
            </Cell>
            <Cell className="whitespace-nowrap">
              <RelativeTime at={new Date(createdAt).toISOString()} style="short" />
            </Cell>
            <Cell>
              {droppedAt === null ? (
                <Badge tone="success">Kept</Badge>
              ) : (
                <Badge tone="neutral">Dropped</Badge>
              )}
            </Cell>
            <Cell align="right">
              {droppedAt === null && (
                <span className="flex justify-end gap-2">
                  <LinkButton
                    to={`/api/audit/checkpoints/${upToSeq}`}
                    reloadDocument
                    size="sm"
                    icon={<Download aria-hidden="true" />}
                    aria-label={`Download entries up to ${upToSeq}`}
                  >
                    Download
                  </LinkButton>
                  <LinkButton
                    to={dropTo(upToSeq)}
                    preventScrollReset
                    size="sm"
                    icon={<Trash2 aria-hidden="true" />}
                    aria-label={`Drop entries up to ${upToSeq}`}
                  >
                    Drop
                  </LinkButton>
                </span>
              )}
            </Cell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
