import { MAX_ROWS, oneLine } from "../document-builder";

/** Cells of a file, empty ones between others included. */
const MAX_CELLS = 2_000_000;
const MAX_COLUMNS = 16_384;

/** Counts the cells of a file's tables. */
export class TableRoom {
  cells = MAX_CELLS;
  rows = MAX_ROWS;
  isExceeded = false;
}

const timesOf = (value: string | undefined) => Math.max(1, Math.trunc(Number(value)) || 1);

/** Collects a table's rows. Repeated rows and cells without content take no room. */
export class OdfTable {
  readonly rows: string[][] = [];
  header = false;
  /** Text of the open cell. */
  lines: string[] = [];
  readonly #room: TableRoom;
  #row: string[] = [];
  #rowTimes = 1;
  #emptyRows = 0;
  /** Empty cells before the next filled one. */
  #empty = 0;
  #cell = { times: 1, spanned: 1, isCovered: false, value: "", isDate: false };
  /** Cells that reach into the rows below, by their column. */
  readonly #spans = new Map<number, { text: string; rows: number }>();

  constructor(room: TableRoom) {
    this.#room = room;
  }

  openRow(attributes: Record<string, string>): void {
    this.#row = [];
    this.#empty = 0;
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

  get #column(): number {
    return this.#row.length + this.#empty;
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
    if (text) this.#push(text, times);
    else this.#empty += times;
  }

  #push(text: string, times: number): void {
    const room = Math.min(MAX_COLUMNS - this.#row.length, this.#room.cells);
    const added = Math.min(room, this.#empty + times);
    if (added < this.#empty + times) this.#room.isExceeded = true;
    for (let at = 0; at < added; at += 1) this.#row.push(at < this.#empty ? "" : text);
    this.#room.cells -= added;
    this.#empty = 0;
  }

  closeRow(): void {
    if (this.#row.length === 0) {
      this.#emptyRows += 1;
      return;
    }
    // One empty row separates as well as a thousand.
    if (this.#emptyRows > 0 && this.rows.length > 0) this.rows.push([]);
    this.#emptyRows = 0;
    const cells = Math.floor(this.#room.cells / this.#row.length) + 1;
    const times = Math.min(this.#rowTimes, this.#room.rows, cells);
    if (times < this.#rowTimes) this.#room.isExceeded = true;
    for (let at = 0; at < times; at += 1) this.rows.push(this.#row);
    this.#room.rows -= times;
    this.#room.cells -= (times - 1) * this.#row.length;
  }
}
