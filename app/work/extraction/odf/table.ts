import { MAX_ROWS, oneLine } from "../document-builder";
import { type Cell, MAX_COLUMNS, type Row } from "../sparse-rows";

/** Cells of a file with a text. */
const MAX_CELLS = 2_000_000;

/** Counts the cells of a file's tables. */
export class TableRoom {
  cells = MAX_CELLS;
  rows = MAX_ROWS;
  isExceeded = false;
}

const timesOf = (value: string | undefined) => Math.max(1, Math.trunc(Number(value)) || 1);

/** Collects a table's rows. Repeated rows and cells without content take no room. */
export class OdfTable {
  readonly rows: Row[] = [];
  header = false;
  /** Text of the open cell. */
  lines: string[] = [];
  readonly #room: TableRoom;
  #cells: Cell[] = [];
  /** Of the next cell, from 1. */
  #column = 1;
  #rowTimes = 1;
  /** Whether empty rows are above. */
  #isApart = false;
  #cell = { times: 1, spanned: 1, isCovered: false, value: "", isDate: false };
  /** Cells that reach into the rows below, by their column. */
  readonly #spans = new Map<number, { text: string; rows: number }>();

  constructor(room: TableRoom) {
    this.#room = room;
  }

  openRow(attributes: Record<string, string>): void {
    this.#cells = [];
    this.#column = 1;
    this.#rowTimes = timesOf(attributes["table:number-rows-repeated"]);
  }

  openCell(isCovered: boolean, attributes: Record<string, string>): void {
    this.lines = [];
    const date = attributes["office:date-value"] ?? "";
    const value =
      attributes["office:string-value"] ??
      attributes["office:value"] ??
      attributes["office:boolean-value"] ??
      "";
    this.#cell = {
      times: timesOf(attributes["table:number-columns-repeated"]),
      spanned: timesOf(attributes["table:number-rows-spanned"]),
      isCovered,
      value: date
        ? date
            .replace("T", " ")
            .slice(0, 16)
            .replace(/ 00:00$/, "")
        : value,
      isDate: date !== "",
    };
  }

  closeCell(): void {
    const { times, spanned, isCovered, value, isDate } = this.#cell;
    if (isCovered) {
      for (let at = 0; at < Math.min(times, MAX_COLUMNS); at += 1) this.#add(this.#fromAbove(), 1);
      return;
    }
    // Dates are shown as ISO ones, all else as the document shows it.
    const text = isDate ? value : oneLine(this.lines.join(" ")) || value;
    if (spanned > 1 && text) this.#spans.set(this.#column, { text, rows: spanned - 1 });
    this.#add(text, times);
  }

  /** A cell that is merged with those above names the same in its own row. */
  #fromAbove(): string {
    const span = this.#spans.get(this.#column);
    if (!span) return "";
    span.rows -= 1;
    if (span.rows === 0) this.#spans.delete(this.#column);
    return span.text;
  }

  #add(text: string, times: number): void {
    const room = Math.min(MAX_COLUMNS + 1 - this.#column, this.#room.cells);
    const added = text ? Math.max(0, Math.min(room, times)) : 0;
    if (text && added < times) this.#room.isExceeded = true;
    for (let at = 0; at < added; at += 1) this.#cells.push({ column: this.#column + at, text });
    this.#room.cells -= added;
    this.#column += times;
  }

  closeRow(): void {
    if (this.#cells.length === 0) {
      this.#isApart = true;
      return;
    }
    // One empty row separates as well as a thousand.
    const number = (this.rows.at(-1)?.number ?? 0) + (this.#isApart ? 2 : 1);
    this.#isApart = false;
    const cells = Math.floor(this.#room.cells / this.#cells.length) + 1;
    const times = Math.min(this.#rowTimes, this.#room.rows, cells);
    if (times < this.#rowTimes) this.#room.isExceeded = true;
    for (let at = 0; at < times; at += 1) this.rows.push({ number: number + at, cells: this.#cells });
    this.#room.rows -= times;
    this.#room.cells -= (times - 1) * this.#cells.length;
  }
}
