import Database from "better-sqlite3";
import { parse } from "csv-parse/sync";
import { AppError } from "~/core/errors";
import { refuseStatement } from "~/work/workflows/workspace/statement-kind";
import type { TablesResult, TablesTask } from "./tables-task";

const MAX_COLUMNS = 200;
const MAX_ROWS = 100_000;

/** Unquoted SQL names; duplicates are numbered. */
function columnNames(header: readonly string[]): string[] {
  const names: string[] = [];
  for (const [index, title] of header.slice(0, MAX_COLUMNS).entries()) {
    const plain = title
      .trim()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 60);
    const base = plain === "" || /^\d/.test(plain) ? `column_${index + 1}` : plain;
    const isTaken = names.some((name) => name.toLowerCase() === base.toLowerCase());
    names.push(isTaken ? `${base}_${index + 1}` : base);
  }
  return names;
}

/** The most frequent in the first line. */
function delimiterOf(csv: string): string {
  const [line = ""] = csv.split(/\r\n?|\n/, 1);
  const counts = [",", ";", "\t", "|"].map((mark) => ({ mark, count: line.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.mark ?? ",";
}

const toValue = (text: string | undefined) => {
  if (text === undefined || text.trim() === "") return null;
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text.trim()) ? Number(text) : text;
};

function load(database: Database.Database, { name, csv }: TablesTask["tables"][number]) {
  const [header = [], ...rows] = parse(csv, {
    delimiter: delimiterOf(csv),
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    to: MAX_ROWS + 1,
  }) as string[][];
  const columns = columnNames(header);
  if (columns.length === 0) throw new AppError("invalid", `The table ${name} is empty.`);
  database.exec(`CREATE TABLE "${name}" (${columns.map((column) => `"${column}"`).join(", ")})`);
  const insert = database.prepare(`INSERT INTO "${name}" VALUES (${columns.map(() => "?").join(", ")})`);
  database.transaction(() => {
    for (const row of rows) insert.run(...columns.map((_, index) => toValue(row[index])));
  })();
  return { name, columns, rows: rows.length };
}

const toJson = (value: unknown) =>
  value instanceof Uint8Array ? `[${value.length} bytes]` : typeof value === "bigint" ? Number(value) : value;

function select(
  database: Database.Database,
  { sql, maxRows, maxLength }: TablesTask,
): Omit<TablesResult, "tables"> {
  const refused = refuseStatement(sql, false, "Write one SELECT statement.");
  if (refused) throw new AppError("invalid", refused);
  database.pragma("query_only = ON");
  const statement = database.prepare(sql);
  if (!statement.reader) throw new AppError("invalid", "Write one SELECT statement.");
  const parts: string[] = [];
  let length = 2;
  let truncated = false;
  for (const row of statement.iterate()) {
    const entries = Object.entries(row as Record<string, unknown>).map(([name, value]) => [
      name,
      toJson(value),
    ]);
    const json = JSON.stringify(Object.fromEntries(entries));
    length += json.length + 1;
    truncated = parts.length >= maxRows || length > maxLength;
    if (truncated) break;
    parts.push(json);
  }
  const columns = statement.columns().map(({ name }) => name);
  return { columns, rows: `[${parts.join(",")}]`, rowCount: parts.length, truncated };
}

/** Loads tables into a database of its own and asks it. */
export function queryTables(task: TablesTask): TablesResult {
  const database = new Database(":memory:");
  try {
    database.pragma("trusted_schema = OFF");
    const tables = task.tables.map((table) => load(database, table));
    return { ...select(database, task), tables };
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error;
    throw new AppError("invalid", `SQLite: ${error.message}`, { cause: error });
  } finally {
    database.close();
  }
}
