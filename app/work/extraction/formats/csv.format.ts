import { parse } from "csv-parse/sync";
import { DocumentBuilder } from "../document-builder";
import { type DocumentFormat, textOf } from "../format";
import { MAX_ROWS } from "../limits";
import { seemsHeader } from "../table-header";

const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE_LINES = 20;

function findDelimiter(text: string): string {
  const lines = text
    .slice(0, 50_000)
    .split(/\r\n?|\n/, SAMPLE_LINES)
    .filter(Boolean)
    .map((line) => line.replace(/"[^"]*"/g, ""));
  const minCells = (delimiter: string) => Math.min(...lines.map((line) => line.split(delimiter).length));
  const counts = DELIMITERS.map((delimiter) => ({
    delimiter,
    count: lines.length > 0 ? minCells(delimiter) : 0,
  }));
  counts.sort((one, other) => other.count - one.count);
  return counts[0]?.delimiter ?? ",";
}

export const csv: DocumentFormat = {
  label: "CSV",
  endings: [".csv", ".tsv", ".tab"],
  types: ["text/csv", "text/tab-separated-values", "application/csv"],
  isText: true,
  read(file) {
    const text = textOf(file);
    const rows: string[][] = parse(text, {
      delimiter: findDelimiter(text),
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MAX_ROWS + 1,
    });
    const builder = new DocumentBuilder();
    if (rows.length > MAX_ROWS)
      builder.note(`Only the first ${MAX_ROWS.toLocaleString("en")} rows were read.`);
    builder.table(rows.slice(0, MAX_ROWS), { header: seemsHeader(rows) });
    return builder.finish("", { format: this.label });
  },
};
