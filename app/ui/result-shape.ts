/** Rows and columns shown of a table; copying has all. */
const MAX_ROWS = 50;
const MAX_COLUMNS = 12;
/** Of a cell or a fact, in characters. */
const MAX_CELL = 200;
const MAX_TEXT = 20_000;
const MAX_PARSED = 200_000;
/** Parts of a result; more are JSON. */
const MAX_PARTS = 20;

type Scalar = string | number | boolean | null;

export interface ResultTable {
  columns: string[];
  rows: string[][];
  /** Rows of the whole table. */
  total: number;
  /** Columns of the whole table. */
  width: number;
}

/** A part of a result with its key, which is empty if the result is a single part. */
export type ResultPart = { key: string } & ({ text: string } | { fact: string } | { table: ResultTable });

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Not within a surrogate pair.
  return `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")}…`;
}

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

/** A list or an object that a tool returned as JSON in a text. */
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
