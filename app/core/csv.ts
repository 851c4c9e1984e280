/**
 * What a spreadsheet runs as a formula when a cell begins with it, the full-width forms included (OWASP, CSV Injection).
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

function toCell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A row of a CSV file (RFC 4180), every cell quoted. A value that a spreadsheet would run begins with an apostrophe. */
export const toCsvRow = (values: readonly string[]): string => `${values.map(toCell).join(",")}\r\n`;
