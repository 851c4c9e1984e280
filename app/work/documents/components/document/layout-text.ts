import type { Block } from "~/work/extraction/document.schema";
import type { TextPage } from "../../documents.schema";

/** A text range in characters; the end is exclusive. */
export interface Range {
  start: number;
  end: number;
}

export interface TextRow {
  /** Cells of a table, otherwise lines. */
  ranges: Range[];
  depth: number;
  marker: string;
  task?: "done" | "open" | undefined;
}

export interface LaidOutBlock {
  block: Block;
  rows: TextRow[];
}

const MARKER = /^(\s*)([-*•]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?/;
const CELL_END = " | ";

export function layoutText(page: Pick<TextPage, "start" | "text" | "blocks">): LaidOutBlock[] {
  return page.blocks.map((block) => {
    const text = page.text.slice(block.start - page.start, block.end - page.start);
    if (block.kind === "list") return { block, rows: listRows(text, block.start) };
    if (block.kind === "table") return { block, rows: tableRows(text, block.start) };
    return { block, rows: [row([{ start: block.start, end: block.end }])] };
  });
}

function row(ranges: Range[], depth = 0, marker = "", task?: TextRow["task"]): TextRow {
  return { ranges, depth, marker, task };
}

function* linesOf(text: string, start: number): Generator<{ line: string; at: number }> {
  let at = start;
  for (const line of text.split("\n")) {
    if (line.trim()) yield { line, at };
    at += line.length + 1;
  }
}

const taskOf = (box: string | undefined) => (box === undefined ? undefined : box === " " ? "open" : "done");

function listRows(text: string, start: number): TextRow[] {
  const rows: TextRow[] = [];
  for (const { line, at } of linesOf(text, start)) {
    const [all = "", indent = "", marker = "", box] = MARKER.exec(line) ?? [];
    const last = rows.at(-1);
    const lead = marker ? all.length : line.length - line.trimStart().length;
    const range = { start: at + lead, end: at + line.length };
    if (marker || !last) rows.push(row([range], Math.floor(indent.length / 2), marker, taskOf(box)));
    else last.ranges.push(range);
  }
  return rows;
}

function tableRows(text: string, start: number): TextRow[] {
  return [...linesOf(text, start)].map(({ line, at }) => {
    let offset = at;
    return row(
      line.split(CELL_END).map((cell) => {
        const range = { start: offset, end: offset + cell.length };
        offset += cell.length + CELL_END.length;
        return range;
      }),
    );
  });
}

export function findFirstOverlap(blocks: readonly LaidOutBlock[], passage: Range): Range | undefined {
  for (const { rows } of blocks) {
    for (const { ranges } of rows) {
      const match = ranges.find((range) => range.end > passage.start && range.start < passage.end);
      if (match) return match;
    }
  }
  return undefined;
}

interface MarkedPiece extends Range {
  mark: "faint" | "strong" | undefined;
}

export function markPieces(range: Range, passage?: Range, quote?: Range): MarkedPiece[] {
  const cuts = [passage?.start, quote?.start, quote?.end, passage?.end].filter(
    (at): at is number => at !== undefined && at > range.start && at < range.end,
  );
  const edges = [range.start, ...new Set(cuts), range.end].sort((a, b) => a - b);
  const contains = (outer: Range | undefined, start: number, end: number) =>
    outer !== undefined && start >= outer.start && end <= outer.end;
  return edges.slice(0, -1).map((start, index) => {
    const end = edges[index + 1] ?? range.end;
    const mark = contains(quote, start, end) ? "strong" : contains(passage, start, end) ? "faint" : undefined;
    return { start, end, mark };
  });
}

export const headingId = ({ start }: Pick<Block, "start">) => `section-${start}`;

export interface OutlineEntry {
  id: string;
  level: number;
  text: string;
}

export function outlineOf(page: Pick<TextPage, "start" | "text" | "blocks">): OutlineEntry[] {
  return page.blocks
    .filter(({ kind }) => kind === "heading")
    .map((block) => ({
      id: headingId(block),
      level: block.level ?? 1,
      text: page.text.slice(block.start - page.start, block.end - page.start),
    }));
}

export function headingsAt(page: Pick<TextPage, "start" | "text" | "blocks">, at: number): string[] {
  const open: { level: number; text: string }[] = [];
  for (const { kind, level = 1, start, end } of page.blocks) {
    if (start >= at && start > 0) break;
    if (kind !== "heading") continue;
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    open.push({ level, text: page.text.slice(start - page.start, end - page.start) });
  }
  return open.map(({ text }) => text);
}
