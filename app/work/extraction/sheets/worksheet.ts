import type { DocumentBuilder } from "../document-builder";
import { readXml } from "../office";
import { relationOf } from "../office-relationships";
import { type Cell, MAX_COLUMNS } from "../sparse-rows";
import { type CellFormat, DAYS_TO_1904 } from "./cell-formats";
import { type Area, type Grid, keyOf, parseArea, type RowCollector } from "./grid";
import { StringItem } from "./strings";

/** Of a sheet's XML. */
const MAX_SHEET_BYTES = 30_000_000;
const MAX_ROW_NUMBER = 1_048_576;
const MAX_HIDDEN_RANGES = 100;
/** Milliseconds of a day, and the serial number of 1 January 1970. */
const [MS_PER_DAY, EPOCH] = [86_400_000, 25_569];

/** What all sheets of a workbook share. */
export interface Book {
  strings: readonly string[];
  /** The format of a cell by the index of its style. */
  formatOf(style: number): CellFormat;
  is1904: boolean;
}

export interface Sheet extends Grid {
  /** Relationship of its drawing. */
  drawing: string;
  /** Relationships of the cells' links. */
  relations: Map<number, string>;
  /** Codes of its headers and footers by element: `oddHeader`. */
  margins: Map<string, string>;
}

interface OpenCell extends Cell {
  type: string;
  format: CellFormat;
  formula: string;
  hasFormula: boolean;
}

const numberOf = (reference: string | undefined): number => {
  const number = Number(/\d{1,7}$/.exec(reference ?? "")?.[0]);
  return number <= MAX_ROW_NUMBER ? number : 0;
};

const ADDRESS_OF_FORMULA = /^\s*HYPERLINK\(\s*"([^"]{1,2000})"/i;
const MARGINS = new Set(["oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"]);
const isTrue = (value: string | undefined) => value === "1" || value === "true";

/** Reads an ISO date or time, as strict files have it, as a serial number. */
function serialOf(text: string, is1904: boolean): number {
  if (/^\d{2}:/.test(text)) return Date.parse(`1970-01-01T${text.replace(/Z?$/, "Z")}`) / MS_PER_DAY;
  const time = Date.parse(text.includes("T") ? text.replace(/Z?$/, "Z") : text);
  return time / MS_PER_DAY + EPOCH - (is1904 ? DAYS_TO_1904 : 0);
}

/** Midnight of a date without a time, and what a date's text has that people don't read. */
const plainDate = (text: string): string =>
  text
    .replace(/T00:00(?::00(?:\.0+)?)?Z?$/, "")
    .replace(/(?:\.0+)?Z?$/, "")
    .replace("T", " ");

class SheetReader {
  readonly sheet: Sheet = {
    rows: [],
    merged: [],
    notes: [],
    links: new Map(),
    drawing: "",
    relations: new Map(),
    margins: new Map(),
  };
  /** Formulas whose result the file doesn't have, since no program calculated it. */
  uncalculated = 0;
  hasHidden = false;
  readonly #book: Book;
  readonly #collector: RowCollector;
  readonly #hiddenColumns: Pick<Area, "left" | "right">[] = [];
  #row = { number: 0, cells: [] as Cell[] };
  #isHiddenRow = false;
  #column = 0;
  #cell: OpenCell | undefined;
  #inline: StringItem | undefined;
  #reads: "value" | "formula" | "margin" | "" = "";
  #text = "";

  constructor(book: Book, collector: RowCollector) {
    this.#book = book;
    this.#collector = collector;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#inline) this.#inline.open(name);
    else if (this.#cell) this.#openValue(name);
    else if (name === "c") this.#openCell(attributes);
    else if (name === "row") this.#openRow(attributes);
    else this.#openRest(name, attributes);
  }

  #openRow({ r, hidden }: Record<string, string>): void {
    const number = numberOf(r);
    this.#row = { number: number > this.#row.number ? number : this.#row.number + 1, cells: [] };
    this.#isHiddenRow = isTrue(hidden);
    this.#column = 0;
  }

  /** A cell without a reference, or with a false one, stands behind the previous one. */
  #openCell({ r, t = "n", s }: Record<string, string>): void {
    const column = (r && parseArea(r)?.left) || 0;
    this.#column = column > this.#column ? column : this.#column + 1;
    const format = this.#book.formatOf(Number(s) || 0);
    this.#cell = { column: this.#column, text: "", type: t, format, formula: "", hasFormula: false };
  }

  #openValue(name: string): void {
    this.#text = "";
    if (name === "v") this.#reads = "value";
    else if (name === "is") this.#inline = new StringItem();
    else if (name === "f" && this.#cell) {
      this.#cell.hasFormula = true;
      this.#reads = "formula";
    }
  }

  #openRest(name: string, attributes: Record<string, string>): void {
    const { ref = "", hidden, min, max } = attributes;
    if (name === "mergeCell") {
      const area = parseArea(ref);
      if (area) this.sheet.merged.push(area);
    } else if (name === "hyperlink") {
      const { top, left } = parseArea(ref) ?? {};
      if (top && left) this.sheet.relations.set(keyOf(top, left), relationOf(attributes));
    } else if (name === "drawing") this.sheet.drawing = relationOf(attributes);
    else if (name === "col" && isTrue(hidden) && this.#hiddenColumns.length < MAX_HIDDEN_RANGES)
      this.#hiddenColumns.push({ left: Number(min), right: Number(max) });
    else if (MARGINS.has(name)) [this.#reads, this.#text] = ["margin", ""];
  }

  text(text: string): void {
    if (this.#inline) this.#inline.text(text);
    else if (this.#reads) this.#text += text;
  }

  close(name: string): void {
    if (this.#inline && name !== "is") {
      this.#inline.close(name);
      return;
    }
    if (name === "c") this.#closeCell();
    else if (name === "row") this.#closeRow();
    else if (name === "is" && this.#cell && this.#inline) {
      this.#cell.text = this.#inline.value;
      this.#inline = undefined;
    } else if (name === "v" && this.#cell) this.#cell.text = this.#text;
    else if (name === "f" && this.#cell) this.#cell.formula = this.#text;
    else if (this.#reads === "margin") this.sheet.margins.set(name, this.#text);
    this.#reads = "";
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell || cell.column > MAX_COLUMNS) return;
    const { column, formula } = cell;
    const text = this.#show(cell);
    if (text === "" && cell.hasFormula && cell.text === "" && cell.type !== "str") this.uncalculated += 1;
    if (text === "" || this.#collector.isFull) return;
    this.#row.cells.push({ column, text });
    const address = formula ? ADDRESS_OF_FORMULA.exec(formula)?.[1] : undefined;
    if (address) this.sheet.links.set(keyOf(this.#row.number, column), address);
  }

  #show({ type, text, format }: OpenCell): string {
    if (text === "") return "";
    if (type === "s") return format.text(this.#book.strings[Number(text)] ?? "");
    if (type === "str" || type === "inlineStr") return format.text(text);
    if (type === "b") return isTrue(text.trim()) ? "TRUE" : "FALSE";
    if (type === "e") return text;
    if (type === "d" && !format.isDate) return plainDate(text.trim());
    const number = type === "d" ? serialOf(text.trim(), this.#book.is1904) : Number(text);
    return Number.isFinite(number) ? format.number(number) : text;
  }

  #closeRow(): void {
    const { cells } = this.#row;
    const isHidden = (column: number) =>
      this.#hiddenColumns.some(({ left, right }) => left <= column && column <= right);
    if (!this.hasHidden && cells.length > 0 && (this.#isHiddenRow || this.#hiddenColumns.length > 0))
      this.hasHidden = this.#isHiddenRow || cells.some(({ column }) => isHidden(column));
    this.#collector.add(this.sheet.rows, this.#row);
  }
}

/** Reads a sheet's XML. What lies beyond the limits is noted and left out. */
export function readWorksheet(
  part: Uint8Array,
  book: Book,
  collector: RowCollector,
  builder: DocumentBuilder,
): Sheet {
  const reader = new SheetReader(book, collector);
  const isWhole = readXml(part, {
    maxBytes: MAX_SHEET_BYTES,
    open: (name, attributes) => reader.open(name, attributes),
    text: (text) => reader.text(text),
    close: (name) => reader.close(name),
  });
  if (!isWhole) builder.note(`Only the first ${MAX_SHEET_BYTES / 1_000_000} MB of a sheet were read.`);
  if (reader.hasHidden) builder.note("Hidden rows and columns were read, too.");
  builder.leaveOut(
    "formula that was never calculated",
    "formulas that were never calculated",
    reader.uncalculated,
  );
  return reader.sheet;
}
