import { AppError } from "~/core/errors";
import { MAX_CELLS, MAX_ROWS, MAX_SHEET } from "../limits";

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
export function boundSheet(bytes: Uint8Array): { bytes: Uint8Array; notes: string[] } {
  const notes: string[] = [];
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = whole.length;
  if (end > MAX_SHEET) {
    const last = whole.subarray(0, MAX_SHEET).lastIndexOf(ROW_END);
    if (last >= 0) {
      end = last + ROW_END.length;
      notes.push(`Only the first ${MAX_SHEET / 1_000_000} MB of a sheet were read.`);
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
    notes.push(`Only the first ${MAX_ROWS.toLocaleString("en")} rows were read.`);
  }
  if (end === whole.length) return { bytes, notes };
  return { bytes: Buffer.concat([whole.subarray(0, end), Buffer.from("</sheetData></worksheet>")]), notes };
}
