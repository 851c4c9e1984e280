/** First characters of formulas in spreadsheets, including full-width forms (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

type Cell = string | number | null | undefined;

function toCell(cell: Cell): string {
  const value = String(cell ?? "");
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Quotes every cell (RFC 4180), leaves null ones empty, and prefixes formulas with an apostrophe. */
export const toCsvRow = (values: readonly Cell[]): string => `${values.map(toCell).join(",")}\r\n`;

/** The first row of a file. Spreadsheets need the BOM to read UTF-8. */
export const csvHead = (columns: readonly string[]): string => `\uFEFF${toCsvRow(columns)}`;

export const CSV_TYPE = "text/csv; charset=utf-8";
