import type { PDFPageProxy } from "pdfjs-dist";

export type Items = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>["items"];
type TextItem = Extract<Items[number], { str: string }>;

/** Lengths are in points, `y` grows upwards. */
export interface Line {
  page: number;
  text: string;
  x: number;
  right: number;
  y: number;
  size: number;
  font: string;
  isUniform: boolean;
  isRow: boolean;
  /** Relative height on the page, 0 to 1. */
  up: number;
}

interface PositionedText {
  text: string;
  x: number;
  right: number;
  y: number;
  size: number;
  font: string;
  endsLine: boolean;
}

function toPositionedText({ str, transform, width, fontName, hasEOL }: TextItem): PositionedText {
  const [a = 0, b = 0, c = 0, d = 0, left = 0, bottom = 0] = transform as number[];
  const turned = Math.abs(b) > Math.abs(a);
  const x = turned ? Math.sign(b) * bottom : left;
  const y = turned ? -Math.sign(b) * left : bottom;
  return { text: str, x, right: x + width, y, size: Math.hypot(c, d), font: fontName, endsLine: hasEOL };
}

function heaviest<T>(weights: Map<T, number>, fallback: T): T {
  let [best, max] = [fallback, 0];
  for (const [name, weight] of weights) if (weight > max) [best, max] = [name, weight];
  return best;
}

function addTo<T>(weights: Map<T, number>, name: T, weight: number): void {
  weights.set(name, (weights.get(name) ?? 0) + weight);
}

/** Dot leaders of a table of contents. */
const LEADERS = /(?:\s?[.·․]){5,}/g;
/** Minimum gap between two cells, relative to the font size. */
const CELL_GAP = 1.6;
/** List markers have wide gaps too. */
const MAX_MARKER_WIDTH = 20;
const MARKER = /^(?:\W|[\d.]{1,9}|\(?\w{1,4}[.)])\s*$/;

/** Collects a line's text in parts: a line may have as many items as its page. */
class LineText {
  readonly #parts: string[] = [];
  #length = 0;

  add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  endCell(): boolean {
    if (this.#length <= MAX_MARKER_WIDTH && MARKER.test(this.#parts.join(""))) return false;
    while (this.#parts.at(-1)?.trim() === "") this.#parts.pop();
    this.add(`${this.#parts.pop()?.trimEnd() ?? ""} | `);
    return true;
  }

  space(): void {
    if (!this.#parts.at(-1)?.endsWith(" ")) this.add(" ");
  }

  finish(): string {
    return this.#parts.join("").replace(LEADERS, " … ").replace(/\s+/g, " ").trim();
  }
}

function toLine(items: readonly PositionedText[], page: number, height: number): Line | undefined {
  const fonts = new Map<string, number>();
  const sizes = new Map<number, number>();
  const text = new LineText();
  let isRow = false;
  let end: number | undefined;
  for (const item of items) {
    const letters = item.text.trim().length;
    if (letters > 0) {
      addTo(fonts, item.font, letters);
      addTo(sizes, item.size, letters);
      const gap = end === undefined ? 0 : (item.x - end) / item.size;
      if (gap > CELL_GAP && text.endCell()) isRow = true;
      else if (gap > 1) text.space();
      end = item.right;
    }
    if (item.text !== "") text.add(item.text);
  }
  const first = items.find((item) => item.text.trim());
  if (!first || end === undefined) return undefined;
  return {
    page,
    text: text.finish(),
    x: first.x,
    right: end,
    y: first.y,
    size: Math.round(heaviest(sizes, first.size) * 10) / 10,
    font: heaviest(fonts, first.font),
    isUniform: fonts.size === 1,
    isRow,
    up: height > 0 ? first.y / height : 0.5,
  };
}

/** The lines of a page in content order, usually the reading order. */
export function findLines(items: Items, page: number, height: number): Line[] {
  const lines: Line[] = [];
  let open: PositionedText[] = [];
  const close = () => {
    const line = toLine(open, page, height);
    if (line) lines.push(line);
    open = [];
  };
  for (const item of items) {
    if (!("str" in item)) continue;
    const text = toPositionedText(item);
    const last = open.at(-1);
    // Superscript and subscript stay on their line.
    if (last && text.text.trim() && Math.abs(text.y - last.y) > Math.max(text.size, last.size) * 0.5) close();
    open.push(text);
    if (text.endsLine) close();
  }
  close();
  return lines;
}

export function mostFrequent<T>(lines: readonly Line[], name: (line: Line) => T, fallback: T): T {
  const weights = new Map<T, number>();
  for (const line of lines) addTo(weights, name(line), line.text.length);
  return heaviest(weights, fallback);
}

/** Share of the page height at top and bottom for headers, footers and page numbers. */
const MARGIN = 0.12;
/** Minimum number and share of pages that repeat a running line. */
const MIN_PAGES = 3;
const MIN_PAGE_SHARE = 0.1;

const PAGE_NUMBER = /^\W*(?:page|seite|p\.)?\s?(?:\d{1,5}|[ivxl]{1,7})(?:\s?(?:of|von|\/)\s?\d{1,5})?\W*$/i;

const inMargin = ({ up }: Line) => up < MARGIN || up > 1 - MARGIN;
const keyOf = ({ text, y }: Line) => `${Math.round(y / 3)} ${text.replace(/\d+/g, "#")}`;

/** Drops headers, footers and page numbers, which would interrupt sentences. */
export function dropRunningLines(lines: readonly Line[], pages: number): Line[] {
  const pagesByLine = new Map<string, Set<number>>();
  for (const line of lines) {
    if (!inMargin(line)) continue;
    const linePages = pagesByLine.get(keyOf(line)) ?? new Set();
    pagesByLine.set(keyOf(line), linePages.add(line.page));
  }
  const minPages = Math.max(MIN_PAGES, pages * MIN_PAGE_SHARE);
  return lines.filter(
    (line) =>
      !inMargin(line) ||
      ((pagesByLine.get(keyOf(line))?.size ?? 0) < minPages && !(pages > 1 && PAGE_NUMBER.test(line.text))),
  );
}
