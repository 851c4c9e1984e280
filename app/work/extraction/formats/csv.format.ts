import { parse } from "csv-parse/sync";
import { DocumentBuilder, MAX_ROWS, ROWS_NOTE, seemsHeader } from "../document-builder";
import type { DocumentFormat } from "../format";

const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE_LINES = 20;

function findDelimiter(text: string): string {
  const lines = text
    .slice(0, 50_000)
    .split(/\r\n?|\n/, SAMPLE_LINES)
    .filter(Boolean)
    .map((line) => line.replace(/"[^"]*"/g, ""));
  const minCells = (delimiter: string) => Math.min(...lines.map((line) => line.split(delimiter).length));
  const [best = ","] = DELIMITERS.toSorted((one, other) => minCells(other) - minCells(one));
  return best;
}

export const csv: DocumentFormat = {
  label: "CSV",
  endings: [".csv", ".tsv", ".tab"],
  types: ["text/csv", "text/tab-separated-values", "application/csv"],
  isText: true,
  read({ text }) {
    const rows: string[][] = parse(text, {
      delimiter: findDelimiter(text),
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MAX_ROWS + 1,
    });
    const builder = new DocumentBuilder();
    if (rows.length > MAX_ROWS) builder.note(ROWS_NOTE);
    builder.table(rows.slice(0, MAX_ROWS), { header: seemsHeader(rows) });
    return builder.finish("", { format: this.label });
  },
};
