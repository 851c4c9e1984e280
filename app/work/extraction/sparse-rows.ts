import { seemsHeader } from "./document-builder";

/** A cell with a text. */
export interface Cell {
  /** From 1. */
  column: number;
  text: string;
}

/** A row of a sheet or table, whose empty cells take no room. */
export interface Row {
  /** From 1. Numbers rise from row to row. */
  number: number;
  /** From left to right. */
  cells: readonly Cell[];
}

export const MAX_COLUMNS = 16_384;
/** Cells of one table including empty ones: about 100 MB of memory. */
const MAX_TABLE_CELLS = 10_000_000;

interface TablePart {
  /** Texts above the table, such as its title. */
  lines: string[];
  /** Rows without the columns that are empty in all of them; none for lines alone. */
  table: string[][];
}

function tableOf(rows: readonly Row[]): string[][] {
  const columns = new Set<number>();
  for (const { cells } of rows) for (const { column } of cells) columns.add(column);
  const places = new Map([...columns].sort((one, other) => one - other).map((column, at) => [column, at]));
  return rows.map(({ cells }) => {
    const line: string[] = [];
    for (const { column, text } of cells) {
      const place = places.get(column) ?? 0;
      while (line.length < place) line.push("");
      line[place] = text;
    }
    return line;
  });
}

/** Whether a cell that stands alone above rows names one of their columns: it isn't above the first. */
function isHeader({ cells }: Row, below: readonly Row[]): boolean {
  const column = cells[0]?.column ?? 0;
  const first = below.reduce((least, row) => Math.min(least, row.cells[0]?.column ?? least), MAX_COLUMNS);
  return column > first && !seemsHeader(tableOf(below.slice(0, 2)));
}

function partOf(rows: readonly Row[]): TablePart {
  const first = rows.findIndex(({ cells }) => cells.length > 1);
  let start = first < 0 ? rows.length : first;
  const above = first > 0 ? rows[first - 1] : undefined;
  if (above && isHeader(above, rows.slice(start))) start -= 1;
  return {
    lines: rows.slice(0, start).map(({ cells }) => cells[0]?.text ?? ""),
    table: tableOf(rows.slice(start)),
  };
}

/** Splits rows at empty ones: each part is a table below the lines of its title, or lines alone. */
export function* splitTables(rows: readonly Row[]): Generator<TablePart> {
  let open: Row[] = [];
  const columns = new Set<number>();
  for (const row of rows) {
    const isApart = row.number > (open.at(-1)?.number ?? row.number) + 1;
    if (isApart || open.length * columns.size > MAX_TABLE_CELLS) {
      yield partOf(open);
      open = [];
      columns.clear();
    }
    open.push(row);
    for (const { column } of row.cells) columns.add(column);
  }
  if (open.length > 0) yield partOf(open);
}
