/** First characters of formulas in spreadsheets, including full-width forms (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

function toCell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Quotes every cell (RFC 4180), and prefixes formulas with an apostrophe. */
export const toCsvRow = (values: readonly string[]): string => `${values.map(toCell).join(",")}\r\n`;
