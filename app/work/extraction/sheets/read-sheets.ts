import readXlsx, { type CellValue } from "read-excel-file/universal";
import { DocumentBuilder } from "../document-builder";
import { MAX_ROWS } from "../limits";
import { type Parts, packParts } from "../office/zip";
import { seemsHeader } from "../table-header";
import { boundSheet } from "./bound-sheet";

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

export async function readSheets(parts: Parts): Promise<{ builder: DocumentBuilder; sheets: string[] }> {
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
    if (rows.length < data.length)
      builder.note(`Only the first ${MAX_ROWS.toLocaleString("en")} rows were read.`);
    remainingRows -= rows.length;
    const filled = dropLeadingColumns(rows);
    if (filled.length === 0) continue;
    if (sheets.length > 1 || !DEFAULT_NAME.test(sheet)) builder.heading(1, sheet, at + 1);
    addRows(builder, filled, at + 1);
  }
  return { builder, sheets: sheets.map(({ sheet }) => sheet) };
}
