import type { Block } from "../document.schema";
import type { DocumentBuilder } from "../document-builder";

/** Text of a chart or of a SmartArt diagram. */
export interface Drawing {
  title: string;
  /** Titles of a chart's axes, labels and text boxes. */
  captions: string[];
  /** Data of a chart. The first row of a table with `header` names the series. */
  tables: { rows: string[][]; header: boolean }[];
  /** Points of a diagram in their order; levels start at 0. */
  points: { text: string; level: number }[];
  /** True if it has more values than are read. */
  isCut: boolean;
}

/** Adds a chart as its title, captions and a table of its data, and a diagram as a list of its points. */
export function addDrawing(
  builder: DocumentBuilder,
  { title, captions, tables, points, isCut }: Drawing,
  facts: Pick<Block, "page"> = {},
): void {
  if (isCut) builder.note("Only the first values of a chart were read.");
  builder.add("paragraph", [title, ...captions].filter(Boolean).join("\n"), facts);
  for (const { rows, header } of tables) builder.table(rows, { ...facts, header });
  const items = points.map(({ text, level }) => `${"  ".repeat(level)}- ${text}`);
  builder.add("list", items.join("\n"), facts);
}
