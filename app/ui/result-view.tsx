import type { ReactNode } from "react";
import { type ResultPart, type ResultTable, splitResult } from "./result-shape";
import { Table } from "./table";

interface ResultViewProps {
  label: string;
  value: unknown;
  /** Normalizes a text, so that server and browser render it identically. */
  clean: (text: string) => string;
  /** The result as JSON, if it is neither text nor table. */
  children: ReactNode;
}

/** A result of a tool or a step: texts as text, flat lists as tables, all else as JSON. */
export function ResultView({ label, value, clean, children }: ResultViewProps) {
  const parts = splitResult(value);
  if (!parts) return children;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {parts.map((part) => (
        <Part key={part.key} part={part} label={label} clean={clean} />
      ))}
    </div>
  );
}

type PartProps = Pick<ResultViewProps, "label" | "clean"> & { part: ResultPart };

function Part({ part, label, clean }: PartProps) {
  const name = clean(part.key);
  if ("fact" in part)
    return (
      <p className="wrap-anywhere text-xs">
        <span className="font-mono text-muted">{name}</span> {clean(part.fact)}
      </p>
    );
  return (
    <div className="min-w-0">
      {name && <p className="wrap-anywhere mb-1 font-mono text-muted text-xs">{name}</p>}
      {"text" in part ? (
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
          {clean(part.text)}
        </p>
      ) : (
        <Rows table={part.table} caption={name ? `${label}: ${name}` : `${label} as a table`} clean={clean} />
      )}
    </div>
  );
}

function Rows({
  table: { columns, rows, total, width },
  caption,
  clean,
}: {
  table: ResultTable;
  caption: string;
  clean: (text: string) => string;
}) {
  const hidden = [
    total > rows.length && `${rows.length} of ${total} rows`,
    width > columns.length && `${columns.length} of ${width} columns`,
  ].filter(Boolean);
  return (
    <>
      <Table caption={caption}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className="whitespace-nowrap border-line border-b px-2.5 py-1.5 font-medium text-muted text-xs"
              >
                {clean(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result doesn't change.
            <tr key={at} className="border-line not-last:border-b">
              {row.map((cell, index) => (
                <td key={columns[index]} className="max-w-80 wrap-break-word px-2.5 py-1.5 align-top text-xs">
                  {clean(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      {hidden.length > 0 && (
        <p className="mt-1 text-muted text-xs">Showing {hidden.join(" and ")}. Copy to get all of it.</p>
      )}
    </>
  );
}
