import readXlsx, { type CellValue } from "read-excel-file/universal";
import { AppError } from "~/core/errors";
import { DocumentBuilder, MAX_ROWS, ROWS_NOTE, seemsHeader } from "../document-builder";
import type { DocumentFormat } from "../format";
import { type Parts, packParts, readProperties, unpackParts } from "../office";

const isWanted = (name: string) =>
  /\.(?:xml|rels)$/.test(name) &&
  !/^(?:customXml|xl\/(?:theme|drawings|charts|media|pivotCache|pivotTables|externalLinks))\//.test(name);

export const xlsx: DocumentFormat = {
  label: "Excel",
  endings: [".xlsx", ".xlsm", ".xltx"],
  types: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  isText: false,
  parts: ["xl/workbook.xml"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const { builder, sheets } = await readSheets(parts);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: sheets.length, sheets, ...facts });
  },
};

/** Of a sheet's XML. */
const MAX_SHEET_BYTES = 30_000_000;
/** Cells of one sheet including empty ones: about 200 MB of memory. */
const MAX_CELLS = 10_000_000;
const ROW_END = "</row>";
/** A cell reference such as `AB12`, among the first attributes. */
const CELL = /<(?:\w{1,20}:)?c\s[^>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"/g;

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function measure(xml: string): { end: number | undefined; row: number; column: number } {
  let [row, column] = [0, 0];
  for (const { 1: letters = "", 2: digits = "", index } of xml.matchAll(CELL)) {
    const at = Number(digits);
    if (at > MAX_ROWS) return { end: xml.lastIndexOf(ROW_END, index) + ROW_END.length, row, column };
    row = Math.max(row, at);
    column = Math.max(column, columnOf(letters));
  }
  return { end: undefined, row, column };
}

/**
 * Cuts a sheet at the limit. The library creates every cell up to the last row and column, so one stray cell could take
 * gigabytes.
 * @throws AppError `invalid` if it is still too large
 */
function boundSheet(bytes: Uint8Array): { bytes: Uint8Array; notes: string[] } {
  const notes: string[] = [];
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = whole.length;
  if (end > MAX_SHEET_BYTES) {
    const last = whole.subarray(0, MAX_SHEET_BYTES).lastIndexOf(ROW_END);
    if (last >= 0) {
      end = last + ROW_END.length;
      notes.push(`Only the first ${MAX_SHEET_BYTES / 1_000_000} MB of a sheet were read.`);
    }
  }
  // References are ASCII, so bytes can be read as characters.
  const { end: within, row, column } = measure(whole.toString("latin1", 0, end));
  if (row * column > MAX_CELLS)
    throw new AppError(
      "invalid",
      `A sheet reaches to row ${row.toLocaleString("en")} and column ${column.toLocaleString("en")}, which is too large. Delete cells far outside the data, or save it as CSV.`,
    );
  if (within !== undefined && within >= ROW_END.length) {
    end = within;
    notes.push(ROWS_NOTE);
  }
  if (end === whole.length) return { bytes, notes };
  return { bytes: Buffer.concat([whole.subarray(0, end), Buffer.from("</sheetData></worksheet>")]), notes };
}

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;
/** Default sheet names: `Sheet1`, `Tabelle1`, `Feuil1`. */
const DEFAULT_NAME = /^\p{L}+\s?\d{1,2}$/u;

function showCell(value: CellValue | null): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const text = Number.isNaN(value.getTime()) ? "" : value.toISOString();
    return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
  }
  // Excel shows fifteen digits.
  return typeof value === "number" ? String(Number(value.toPrecision(15))) : String(value);
}

/** Adds the rows between two empty ones: a table, or lines of text around it. */
function addRows(builder: DocumentBuilder, rows: readonly string[][], page: number): void {
  let open: string[][] = [];
  const close = () => {
    if (open.every((row) => row.filter(Boolean).length <= 1)) {
      for (const row of open) builder.add("paragraph", row.join(" "), { page });
    } else builder.table(open, { page, header: seemsHeader(open) });
    open = [];
  };
  for (const row of rows) {
    if (row.some(Boolean)) open.push(row);
    else close();
  }
  close();
}

function dropLeadingColumns(rows: readonly string[][]): string[][] {
  const first = Math.min(...rows.map((row) => row.findIndex(Boolean)).filter((at) => at >= 0));
  return Number.isFinite(first) ? rows.map((row) => row.slice(first)) : [];
}

async function readSheets(parts: Parts): Promise<{ builder: DocumentBuilder; sheets: string[] }> {
  const builder = new DocumentBuilder();
  const bounded: Parts = new Map();
  for (const [name, part] of parts) {
    const { bytes, notes } = SHEET.test(name) ? boundSheet(part) : { bytes: part, notes: [] };
    for (const note of notes) builder.note(note);
    bounded.set(name, bytes);
  }
  const archive = packParts(bounded);
  const sheets = await readXlsx(
    archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.length) as ArrayBuffer,
  );
  let remainingRows = MAX_ROWS;
  for (const [at, { sheet, data }] of sheets.entries()) {
    if (builder.isFull) break;
    const rows = data.slice(0, remainingRows).map((row) => row.map(showCell));
    if (rows.length < data.length) builder.note(ROWS_NOTE);
    remainingRows -= rows.length;
    const filled = dropLeadingColumns(rows);
    if (filled.length === 0) continue;
    if (sheets.length > 1 || !DEFAULT_NAME.test(sheet)) builder.heading(1, sheet, at + 1);
    addRows(builder, filled, at + 1);
  }
  return { builder, sheets: sheets.map(({ sheet }) => sheet) };
}
