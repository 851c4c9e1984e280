import type { CellObject, Comments, WorkBook, WorkSheet } from "@e965/xlsx";
import { AppError } from "~/core/errors";
import { type DocumentBuilder, MAX_ROWS, shortText } from "../document-builder";
import { PASSWORD_PROTECTED } from "../format";
import { type CellFormat, loadCellFormats } from "./cell-formats";
import { addGrid, type Grid, keyOf, type Note, type OpenRow, RowCollector } from "./grid";
import { addressOf } from "./links";
import { headingOfSheet, noteHiddenSheets } from "./sheet-names";

/** By their numbers in the file. */
const ERRORS = new Map([
  [0x00, "#NULL!"],
  [0x07, "#DIV/0!"],
  [0x0f, "#VALUE!"],
  [0x17, "#REF!"],
  [0x1d, "#NAME?"],
  [0x24, "#NUM!"],
  [0x2a, "#N/A"],
]);

type FormatOf = (code: string) => CellFormat;

function showCell({ t, v, z }: CellObject, formatOf: FormatOf): string {
  const format = formatOf(typeof z === "string" ? z : "General");
  if (typeof v === "boolean") return v ? "TRUE" : "FALSE";
  if (t === "e") return ERRORS.get(Number(v)) ?? "#N/A";
  if (typeof v === "number") return format.number(v);
  return typeof v === "string" && v !== "" ? format.text(v) : "";
}

const notesOf = (row: number, column: number, comments: Comments | undefined): Note[] =>
  (comments ?? []).map(({ t }) => ({ row, column, kind: "Note", text: t ?? "" }));

function gridOf(sheet: WorkSheet, formatOf: FormatOf, collector: RowCollector): Grid {
  const merged = (sheet["!merges"] ?? []).map(({ s, e }) => ({
    top: s.r + 1,
    left: s.c + 1,
    bottom: e.r + 1,
    right: e.c + 1,
  }));
  const grid: Grid = { rows: [], merged, notes: [], links: new Map() };
  const data: (CellObject | undefined)[][] = sheet["!data"] ?? [];
  // Rows and cells without content are holes, which `forEach` skips.
  data.forEach((cells, at) => {
    const row: OpenRow = { number: at + 1, cells: [] };
    cells?.forEach((cell, place) => {
      if (!cell) return;
      const column = place + 1;
      const text = showCell(cell, formatOf);
      if (text) row.cells.push({ column, text });
      grid.notes.push(...notesOf(row.number, column, cell.c));
      const address = addressOf(cell.l?.Target ?? "");
      if (address) grid.links.set(keyOf(row.number, column), address);
    });
    collector.add(grid.rows, row);
  });
  return grid;
}

async function parseWorkbook(bytes: Uint8Array): Promise<WorkBook> {
  const [{ read, set_cptable }, codePages] = await Promise.all([
    import("@e965/xlsx"),
    import("@e965/xlsx/dist/cpexcel.full.mjs"),
  ]);
  // Texts before Excel 97 are in the code page of their computer.
  set_cptable(codePages);
  try {
    return read(bytes, {
      type: "array",
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      cellFormula: false,
      sheetRows: MAX_ROWS + 1,
    });
  } catch (cause) {
    if (!(cause instanceof Error) || !/password|encrypt/i.test(cause.message)) throw cause;
    throw new AppError("invalid", PASSWORD_PROTECTED, { cause });
  }
}

/** Reads a workbook of Excel 2003 and before. */
export async function readOldSheets(bytes: Uint8Array, builder: DocumentBuilder) {
  const book = await parseWorkbook(bytes);
  const is1904 = book.Workbook?.WBProps?.date1904 ?? false;
  const formatOf = await loadCellFormats(is1904);
  const sheets = book.SheetNames.map((name, at) => ({
    name: shortText(name),
    isHidden: (book.Workbook?.Sheets?.[at]?.Hidden ?? 0) > 0,
  }));
  const collector = new RowCollector(builder);
  for (const [at, listed] of sheets.entries()) {
    const sheet = book.Sheets[book.SheetNames[at] ?? ""];
    const type: string | undefined = sheet?.["!type"];
    if (builder.isFull || collector.isFull) break;
    if (type === "macro") builder.leaveOut("macro sheet", "macro sheets");
    if (!sheet || type === "macro") continue;
    const grid = gridOf(sheet, formatOf, collector);
    if (grid.rows.length + grid.notes.length === 0) continue;
    builder.heading(1, headingOfSheet(listed.name, sheets.length === 1), at + 1);
    addGrid(builder, grid, at + 1);
  }
  noteHiddenSheets(builder, sheets);
  const { Title, Author, CreatedDate } = book.Props ?? {};
  const created = shortText(CreatedDate ? String(CreatedDate) : "");
  return {
    title: shortText(Title),
    sheets: sheets.map(({ name }) => name),
    ...(Author ? { author: shortText(Author) } : {}),
    ...(created ? { created } : {}),
  };
}
