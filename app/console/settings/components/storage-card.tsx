import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount, formatSize } from "~/ui/format";
import { Cell, HeadCell, Table } from "~/ui/table";
import { RelativeTime } from "~/ui/time";
import type { StorageFigures } from "../storage.shared";

const STATES: Readonly<Record<string, string>> = {
  building: "Building",
  ready: "Awaiting approval",
  serving: "Active",
  cancelled: "Canceled",
  failed: "Failed",
};

/** Measured on demand, since it reads the whole file. */
export function StorageCard({ figures }: { figures: StorageFigures | null }) {
  return (
    <Card
      id="storage"
      title="Storage"
      description="See which data takes up the database, and the generations of the search index"
      actions={
        figures === null && (
          <LinkButton to="?storage=1" preventScrollReset size="sm">
            Measure
          </LinkButton>
        )
      }
    >
      {figures === null ? (
        <p className="text-muted text-sm">Measuring reads the whole database and can take a minute.</p>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-muted text-sm">
            {formatCount(figures.documents)} documents, {formatCount(figures.passages)} passages, measured{" "}
            <RelativeTime at={figures.measuredAt} style="running" />
          </p>
          <Table caption="Space by kind of data">
            <thead>
              <tr>
                <HeadCell>Data</HeadCell>
                <HeadCell align="right">Size</HeadCell>
              </tr>
            </thead>
            <tbody>
              {figures.shares.map(({ label, bytes }) => (
                <tr key={label}>
                  <Cell>{label}</Cell>
                  <Cell align="right">{formatSize(bytes)}</Cell>
                </tr>
              ))}
            </tbody>
          </Table>
          {figures.indexes.length > 0 && <Generations indexes={figures.indexes} />}
        </div>
      )}
    </Card>
  );
}

function Generations({ indexes }: Pick<StorageFigures, "indexes">) {
  return (
    <Table caption="Generations of the search index">
      <thead>
        <tr>
          <HeadCell>Index</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell align="right">Documents</HeadCell>
          <HeadCell align="right">Passages</HeadCell>
          <HeadCell align="right">Size</HeadCell>
        </tr>
      </thead>
      <tbody>
        {indexes.map(({ id, state, model, documents, passages, bytes }) => (
          <tr key={id}>
            <Cell className="min-w-44">
              {id} · {model ?? "Keywords only"}
            </Cell>
            <Cell>{STATES[state] ?? state}</Cell>
            <Cell align="right">{formatCount(documents)}</Cell>
            <Cell align="right">{formatCount(passages)}</Cell>
            <Cell align="right">{formatSize(bytes)}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
