import { clip } from "~/core/well-formed";
import {
  type DocumentBuilder,
  MAX_ROWS,
  MAX_TEXT,
  oneLine,
  ROWS_NOTE,
  seemsHeader,
  TEXT_NOTE,
} from "../document-builder";
import { type Cell, MAX_COLUMNS, type Row, splitTables } from "../sparse-rows";

/** A row whose merged cells and links are still to come. */
export interface OpenRow extends Row {
  cells: Cell[];
}

export interface Area {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Note {
  row: number;
  column: number;
  /** What it is, and who wrote it: `Note`, `Comment by Ada`. */
  kind: string;
  text: string;
}

/** A sheet's filled cells: a stray cell far outside takes no more room than another one. */
export interface Grid {
  rows: OpenRow[];
  merged: Area[];
  notes: Note[];
  /** Addresses that cells link to, by `keyOf` their place. */
  links: Map<number, string>;
}

/** Longer texts of merged cells aren't repeated in each row. In characters. */
const MAX_REPEATED_LENGTH = 200;
/** Cells that are looked at for merged areas, which may overlap in a forged file. */
const MAX_MERGED_STEPS = 5_000_000;
const MAX_LABEL_LENGTH = 200;
/** Cells of a row that name it. */
const LABEL_CELLS = 10;

export const keyOf = (row: number, column: number): number => row * (MAX_COLUMNS + 1) + column;

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function lettersOf(column: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

/** @param reference such as `B2` or `B2:C9` */
export function parseArea(reference: string): Area | undefined {
  const { groups } =
    /^\$?(?<left>[A-Z]{1,3})\$?(?<top>\d{1,7})(?::\$?(?<right>[A-Z]{1,3})\$?(?<bottom>\d{1,7}))?$/.exec(
      reference,
    ) ?? {};
  if (!groups?.left || !groups.top) return undefined;
  const [left, top] = [columnOf(groups.left), Number(groups.top)];
  return {
    top,
    left,
    bottom: groups.bottom ? Number(groups.bottom) : top,
    right: groups.right ? columnOf(groups.right) : left,
  };
}

/** Collects the rows of all sheets up to the limits of a document. */
export class RowCollector {
  readonly #builder: DocumentBuilder;
  #rows = 0;
  #length = 0;
  #isFull = false;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  add(rows: OpenRow[], row: OpenRow): void {
    if (row.cells.length === 0 || this.#isFull) return;
    this.#rows += 1;
    for (const { text } of row.cells) this.#length += text.length;
    if (this.#rows > MAX_ROWS) this.#stop(ROWS_NOTE);
    else rows.push(row);
    if (this.#length > MAX_TEXT) this.#stop(TEXT_NOTE);
  }

  #stop(note: string): void {
    this.#isFull = true;
    this.#builder.note(note);
  }
}

/** Repeats the text of a merged area in each of its rows, so that each says what it belongs to. */
function fillMerged({ rows, merged }: Grid): void {
  if (merged.length === 0) return;
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  let [steps, length] = [0, 0];
  for (const { top, left, bottom } of merged) {
    const first = byNumber.get(top)?.cells ?? [];
    steps += first.length;
    const text = first.find(({ column }) => column === left)?.text ?? "";
    if (text === "" || text.length > MAX_REPEATED_LENGTH) continue;
    for (let number = top + 1; number <= bottom; number += 1) {
      const row = byNumber.get(number);
      steps += 1 + (row?.cells.length ?? 0);
      if (steps > MAX_MERGED_STEPS || length > MAX_TEXT) return;
      if (!row || row.cells.some(({ column }) => column === left)) continue;
      row.cells.push({ column: left, text });
      row.cells.sort((one, other) => one.column - other.column);
      length += text.length;
    }
  }
}

/** Adds the addresses that cells link to behind texts that don't name them. */
function addLinks({ rows, links }: Grid): void {
  if (links.size === 0) return;
  for (const { number, cells } of rows) {
    for (const cell of cells) {
      const address = links.get(keyOf(number, cell.column));
      if (address && !cell.text.includes(address)) cell.text += ` (${address})`;
    }
  }
}

function addRows(builder: DocumentBuilder, rows: readonly Row[], page: number): void {
  for (const { lines, table } of splitTables(rows)) {
    if (builder.isFull) return;
    for (const line of lines) builder.add("paragraph", line, { page });
    builder.table(table, { page, header: seemsHeader(table) });
  }
}

function addNotes(builder: DocumentBuilder, { rows, notes }: Grid, page: number): void {
  if (notes.length === 0) return;
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  for (const { row, column, kind, text } of notes) {
    if (builder.isFull) return;
    const cells = byNumber.get(row)?.cells.slice(0, LABEL_CELLS) ?? [];
    const label = clip(oneLine(cells.map((cell) => cell.text).join(" | ")), MAX_LABEL_LENGTH);
    const place = `${lettersOf(column)}${row}${label ? ` (${label})` : ""}`;
    builder.add("paragraph", `${kind} on ${place}: ${text.trim()}`, { page });
  }
}

/** Adds a sheet's rows as tables and lines of text, and its notes below. */
export function addGrid(builder: DocumentBuilder, grid: Grid, page: number): void {
  fillMerged(grid);
  addLinks(grid);
  addRows(builder, grid.rows, page);
  addNotes(builder, grid, page);
}
