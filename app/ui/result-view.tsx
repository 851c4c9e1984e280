import type { ReactNode } from "react";
import { clip } from "~/core/well-formed";
import { Table } from "./table";

interface ResultViewProps {
  label: string;
  value: unknown;
  /** Normalizes a text, so that server and browser render it identically. */
  clean: (text: string) => string;
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

/** Rows and columns shown of a table; copying has all. */
const MAX_ROWS = 50;
const MAX_COLUMNS = 12;
const MAX_CELL = 200;
const MAX_TEXT = 20_000;
const MAX_PARSED = 200_000;
/** Parts of a result; more are JSON. */
const MAX_PARTS = 20;

type Scalar = string | number | boolean | null;

interface ResultTable {
  columns: string[];
  rows: string[][];
  total: number;
  width: number;
}

/** A part of a result with its key, which is empty if the result is a single part. */
export type ResultPart = { key: string } & ({ text: string } | { fact: string } | { table: ResultTable });

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const truncate = (text: string, max: number) => (text.length <= max ? text : `${clip(text, max)}…`);

const cellOf = (value: unknown) =>
  value === null || value === undefined ? "" : truncate(String(value), MAX_CELL);

/** @returns undefined unless all rows are flat objects */
function readTable(value: readonly unknown[]): ResultTable | undefined {
  if (value.length === 0) return undefined;
  const keys = new Set<string>();
  for (const row of value) {
    if (!isRecord(row)) return undefined;
    for (const [key, cell] of Object.entries(row)) {
      if (!isScalar(cell)) return undefined;
      keys.add(key);
    }
  }
  if (keys.size === 0) return undefined;
  const columns = [...keys].slice(0, MAX_COLUMNS);
  const rows = (value as Record<string, unknown>[])
    .slice(0, MAX_ROWS)
    .map((row) => columns.map((key) => cellOf(row[key])));
  return { columns: columns.map(cellOf), rows, total: value.length, width: keys.size };
}

function readPart(key: string, value: unknown): ResultPart | undefined {
  if (typeof value === "string" && (value.length > MAX_CELL || value.includes("\n")))
    return { key, text: truncate(value, MAX_TEXT) };
  if (isScalar(value)) return { key, fact: value === null ? "None" : String(value) };
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return { key, fact: "None" };
  const table = readTable(value);
  return table && { key, table };
}

function parseText(text: string): unknown {
  if (text.length > MAX_PARSED || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Splits a result into texts, facts and tables.
 * @returns undefined if it is better shown as JSON: nested, or nothing but short values
 */
export function splitResult(value: unknown): ResultPart[] | undefined {
  if (typeof value === "string") {
    const parsed = parseText(value);
    if (parsed !== undefined) return splitResult(parsed);
    return value ? [{ key: "", text: truncate(value, MAX_TEXT) }] : undefined;
  }
  if (Array.isArray(value)) {
    const table = readTable(value);
    return table && [{ key: "", table }];
  }
  if (!isRecord(value)) return undefined;
  // Files have a list of their own.
  const entries = Object.entries(value).filter(([key]) => key !== "files");
  if (entries.length > MAX_PARTS) return undefined;
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === "text" && typeof only[1] === "string")
    return splitResult(only[1]);
  // MCP: the text repeats the structured result.
  if (entries.length === 2 && typeof value.text === "string" && "structured" in value)
    return splitResult(value.structured);
  const parts: ResultPart[] = [];
  for (const [key, entry] of entries) {
    const part = readPart(key, entry);
    if (!part) return undefined;
    parts.push(part);
  }
  return parts.some((part) => !("fact" in part)) ? parts : undefined;
}
