/** A row of Markdown: `| a | b |`. */
const ROW = /^[ \t]*\|(.*)\|[ \t]*$/;
/** No two parts take the same spaces, so that its time grows with the line's length only. */
const RULE = /^[ \t]*(?:\|[ \t]*)?(?::?-+:?[ \t]*\|[ \t]*)+(?::?-+:?[ \t]*)?$/;
/** Between cells of extracted tables. */
const CELL_END = / \| /g;

const countCellEnds = (line = "") => line.match(CELL_END)?.length ?? 0;

/**
 * Separates the cells of tables by `·`, for excerpts. Only consecutive lines with as many cells are rows: a single line
 * may be a command with a pipe.
 */
export function showTableRows(text: string): string {
  const lines = text.split("\n");
  const isRule = lines.map((line) => RULE.test(line));
  const rows = lines.filter((_, at) => !isRule[at]);
  if (rows.length === lines.length && !text.includes(" | ")) return text;
  const cells = rows.map((line) => ROW.exec(line)?.[1]?.trim() ?? line);
  return cells
    .map((line, at) => {
      const count = countCellEnds(line);
      const isRow =
        count > 0 && (countCellEnds(cells[at - 1]) === count || countCellEnds(cells[at + 1]) === count);
      return isRow ? line.replaceAll(CELL_END, " · ") : (rows[at] ?? line);
    })
    .join("\n");
}
