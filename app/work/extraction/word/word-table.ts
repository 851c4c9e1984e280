import { AppError } from "~/core/errors";
import { MAX_TEXT, seemsHeader } from "../document-builder";
import { type Item, linesOf, type Sink } from "./word-items";

/** Of all tables of a document; text of maximum length has fewer. */
const MAX_CELLS = 2_000_000;
/** Word's tables have at most as many columns. */
const MAX_SPAN = 63;
/** In characters; a longer cell is page layout, not data. */
const MAX_CELL_LENGTH = 2_000;
/** In characters; a longer text of merged cells stands in the first of them only. */
const MAX_REPEATED = 200;
/** A table with more rows is data, so that its cells' parts needn't be kept. */
const MAX_LAYOUT_ROWS = 50;

interface Cell extends Sink {
  items: Item[];
  /** Columns that it covers. */
  span: number;
  isContinued: boolean;
}

interface Row {
  cells: Cell[];
  before: number;
  isDeleted: boolean;
}

/** Counts cells over all tables of a document, before they take memory. */
export class CellCount {
  #count = 0;

  add(cells: number): void {
    this.#count += cells;
    if (this.#count <= MAX_CELLS) return;
    throw new AppError(
      "invalid",
      `The tables have more than ${MAX_CELLS.toLocaleString("en")} cells, which is too many. Split the document into smaller files.`,
    );
  }
}

/** A table that is being read. */
export class Table {
  readonly #count: CellCount;
  readonly #rows: Row[] = [];
  readonly #data: string[][] = [];
  /** Notes and charts of cells, which follow the table. */
  readonly #after: Item[] = [];
  /** Texts of cells that reach into the rows below, by column. */
  readonly #merged = new Map<number, string>();
  #row: Row | undefined;
  #isLayout = false;
  /** Characters that merged cells repeat. */
  #repeated = 0;
  hasHeader = false;

  constructor(count: CellCount) {
    this.#count = count;
  }

  openRow(): void {
    this.#row = { cells: [], before: 0, isDeleted: false };
  }

  skipColumns(columns: number): void {
    if (this.#row) this.#row.before = this.#clampSpan(columns);
  }

  deleteRow(): void {
    if (this.#row) this.#row.isDeleted = true;
  }

  openCell(): Cell {
    this.#count.add(1);
    const items: Item[] = [];
    const cell: Cell = { items, span: 1, isContinued: false, add: (item) => items.push(item) };
    if (!this.#row) this.openRow();
    this.#row?.cells.push(cell);
    return cell;
  }

  span(columns: number): void {
    const cell = this.#row?.cells.at(-1);
    if (cell) cell.span = this.#clampSpan(columns);
  }

  /** Marks a cell as part of the one above. */
  continueCell(): void {
    const cell = this.#row?.cells.at(-1);
    if (cell) cell.isContinued = true;
  }

  /** True if the first row is the open one, which may be a header. */
  get isFirstRow(): boolean {
    return this.#rows.length + this.#data.length === 0;
  }

  closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (!row || row.isDeleted) return;
    this.#rows.push(row);
    if (this.#isLayout) return;
    this.#isLayout = this.#data.length === 0 && row.cells.some(isLayoutCell);
    if (this.#isLayout || this.#rows.length <= MAX_LAYOUT_ROWS) return;
    for (const item of this.#rows.splice(0)) this.#addData(item);
  }

  finish(): Item[] {
    if (this.#row) this.closeRow();
    const isSingle =
      this.#data.length === 0 && this.#rows.length === 1 && (this.#rows[0]?.cells.length ?? 0) <= 1;
    if (this.#isLayout || isSingle)
      return this.#rows.flatMap(({ cells }) => cells.flatMap(({ items }) => items));
    for (const row of this.#rows) this.#addData(row);
    const header = this.hasHeader || seemsHeader(this.#data);
    return [{ kind: "table", rows: this.#data, header }, ...this.#after];
  }

  #clampSpan(columns: number): number {
    const span = Math.max(1, Math.min(columns, MAX_SPAN));
    this.#count.add(span - 1);
    return span;
  }

  #addData({ cells, before }: Row): void {
    const texts = Array.from({ length: before }, () => "");
    for (const { items, span, isContinued } of cells) {
      const column = texts.length;
      let text = this.#textOf(items);
      if (isContinued) {
        text ||= this.#repeated < MAX_TEXT ? (this.#merged.get(column) ?? "") : "";
        this.#repeated += text.length;
      }
      if (!isContinued && text.length <= MAX_REPEATED) this.#merged.set(column, text);
      else if (!isContinued) this.#merged.delete(column);
      texts.push(text);
      for (let at = 1; at < span; at++) texts.push("");
    }
    this.#data.push(texts);
  }

  #textOf(items: readonly Item[]): string {
    const lines: string[] = [];
    for (const item of items) {
      if (item.kind === "drawing" || ("isNote" in item && item.isNote)) this.#after.push(item);
      else lines.push(...linesOf(item));
    }
    return lines.join(" ");
  }
}

function isLayoutCell({ items }: Cell): boolean {
  let length = 0;
  for (const item of items) {
    if (item.kind === "table" || item.kind === "document") return true;
    if (item.kind !== "drawing" && !item.isNote) length += item.text.length;
  }
  return length > MAX_CELL_LENGTH;
}
