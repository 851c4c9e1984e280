import { seemsHeader } from "../table-header";
import { isBlock, isSilent, isText, nameOf, walk } from "./walk";

/** In characters; a longer cell is page layout, not data. */
const MAX_CELL_LENGTH = 2_000;

interface HtmlTable {
  rows: string[][];
  header: boolean;
  caption: string;
}

/** @returns undefined for a layout table: nested, with one cell, or with an overlong one */
export function readTable(table: Element): HtmlTable | undefined {
  const rows: string[][] = [];
  let headings = 0;
  let caption = "";
  let isLayout = false;
  let cell: "none" | "caption" | "cell" = "none";
  const write = (text: string) => {
    const row = rows.at(-1);
    if (cell === "caption") caption += text;
    else if (cell === "cell" && row) {
      row[row.length - 1] += text;
      if ((row.at(-1)?.length ?? 0) > MAX_CELL_LENGTH) isLayout = true;
    }
  };
  walk(
    table,
    (node) => {
      const name = nameOf(node);
      if (name === "TABLE" && node !== table) isLayout = true;
      if (isLayout || isSilent(node)) return false;
      if (isText(node)) write(node.nodeValue ?? "");
      else if (isBlock(name) || name === "BR") write(" ");
      if (name === "CAPTION") cell = "caption";
      if (name === "TR") rows.push([]);
      if (name === "TD" || name === "TH") {
        if (name === "TH" && rows.length <= 1) headings += 1;
        if (rows.length === 0) rows.push([]);
        rows.at(-1)?.push("");
        cell = "cell";
      }
      return true;
    },
    (node) => {
      if (isBlock(nameOf(node))) write(" ");
      if (/^(?:TD|TH|CAPTION)$/.test(nameOf(node))) cell = "none";
    },
  );
  const [first] = rows;
  if (isLayout || !first || (rows.length === 1 && first.length <= 1)) return undefined;
  return { rows, header: headings > 1 ? headings === first.length : seemsHeader(rows), caption };
}
