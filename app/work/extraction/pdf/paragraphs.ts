import { oneLine } from "../document-builder";
import { type Line, mostFrequent } from "./lines";

export interface Paragraph {
  page: number;
  text: string;
  lines: number;
  size: number;
  font: string;
  isUniform: boolean;
  isItem: boolean;
  isRow: boolean;
}

/** A bullet (symbol fonts use the private area), number or letter of a list item. */
const BULLET =
  /^(?:[•▪▫●◦○‣⁃·∙■□➢➤–—*\uf000-\uf0ff-]\s+|[•●▪\uf0b7\uf0a7]|(?:\d{1,3}|[a-z])[.)]\s+(?=\S)|\(\w{1,3}\)\s)/u;
const SENTENCE_END = /[.!?:。！？：][)\]"'”’»」』]?$/u;
const WIDE_END = /[\u2e80-\u9fff\uff00-\uffef]$/u;
const WIDE_START = /^[\u2e80-\u9fff\uff00-\uffef]/u;

class Layout {
  readonly #spacing = new Map<number, number>();
  readonly #rights = new Map<string, number>();

  constructor(lines: readonly Line[]) {
    const gaps = new Map<number, Map<number, number>>();
    for (const [at, line] of lines.entries()) {
      const key = this.#column(line);
      this.#rights.set(key, Math.max(this.#rights.get(key) ?? 0, line.right));
      const last = lines[at - 1];
      if (!last || last.page !== line.page || last.size !== line.size) continue;
      const gap = Math.round((last.y - line.y) * 2) / 2;
      if (gap < line.size * 0.8 || gap > line.size * 3) continue;
      const counts = gaps.get(line.size) ?? new Map<number, number>();
      gaps.set(line.size, counts.set(gap, (counts.get(gap) ?? 0) + 1));
    }
    for (const [size, counts] of gaps) {
      const [usual] = [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
      if (usual && usual[1] > 2) this.#spacing.set(size, usual[0]);
    }
  }

  spacing(size: number): number {
    return this.#spacing.get(size) ?? size * 1.3;
  }

  isShort(line: Line): boolean {
    const right = this.#rights.get(this.#column(line)) ?? line.right;
    return line.right < right - (right - line.x) * 0.15;
  }

  #column({ page, x }: Line): string {
    return `${page} ${Math.round(x / 12)}`;
  }
}

function continuesParagraph(layout: Layout, first: Line, last: Line, line: Line): boolean {
  const ended = SENTENCE_END.test(last.text);
  const down = last.y - line.y;
  // An incomplete sentence may continue after a wide gap.
  const canContinue =
    !ended && (/^\p{Ll}/u.test(line.text) || (line.font === last.font && !layout.isShort(last)));
  const widest = Math.max(layout.spacing(line.size) * 1.3, canContinue ? line.size * 2.3 : 0);
  // Upwards: another column.
  if (down < line.size * 0.5 || down > widest || (ended && layout.isShort(last))) return false;
  // Either the first line is indented or, after a bullet, all others.
  if (line.x - last.x > line.size) return last === first && (!ended || BULLET.test(first.text));
  return last === first || last.x - line.x <= line.size;
}

function startsParagraph(layout: Layout, first: Line, last: Line, line: Line): boolean {
  if (BULLET.test(line.text) || line.isRow || last.isRow) return true;
  if (Math.abs(line.size - last.size) > last.size * 0.1) return true;
  // A short line in another font is a heading.
  const otherFont = first.isUniform && line.isUniform && first.font !== line.font;
  if (otherFont && last === first && layout.isShort(first)) return true;
  if (line.page === last.page) return !continuesParagraph(layout, first, last, line);
  return SENTENCE_END.test(last.text) || !(/^\p{Ll}/u.test(line.text) || WIDE_START.test(line.text));
}

function textOf(lines: readonly Line[]): string {
  const parts: string[] = [];
  let last = "";
  for (const { text } of lines) {
    // Searching the whole text would be quadratic.
    const end = last.slice(-3);
    const isHyphenated = /\p{Ll}[-\u00ad]$/u.test(end) && /^\p{Ll}/u.test(text);
    const isAdjacent = end.endsWith("-") || (WIDE_END.test(end) && WIDE_START.test(text));
    if (isHyphenated) parts[parts.length - 1] = last.slice(0, -1);
    else if (parts.length > 0 && !isAdjacent) parts.push(" ");
    parts.push(text);
    last = text;
  }
  return parts.join("");
}

function toParagraph(cells: readonly (readonly Line[])[], first: Line): Paragraph {
  const lines = cells.flat();
  const isRow = cells.length > 1 || first.isRow;
  const isItem = !isRow && BULLET.test(first.text);
  const text = cells.map(textOf).join(" | ");
  const bullet = BULLET.exec(text)?.[0] ?? "";
  return {
    page: first.page,
    text: isItem && !/\w/.test(bullet) ? `- ${text.slice(bullet.length)}` : text,
    lines: lines.length,
    size: first.size,
    font: first.font,
    isUniform: lines.every((line) => line.isUniform && line.font === first.font),
    isItem,
    isRow,
  };
}

/** Maximum height of a cell above the first line of the cell before it, in font sizes. */
const BESIDE = 4;
const MAX_CELL_LINES = 8;

function isBeside(cell: readonly Line[], line: Line): boolean {
  const [first] = cell;
  const last = cell.at(-1);
  if (!first || !last || line.page !== first.page || cell.length > MAX_CELL_LINES) return false;
  const right = Math.max(...cell.map((item) => item.right));
  const height = Math.max(first.size, line.size);
  return (
    line.x > right + height * 0.5 && line.y <= first.y + height * BESIDE && line.y >= last.y - height * 0.5
  );
}

export function findParagraphs(lines: readonly Line[]): Paragraph[] {
  const layout = new Layout(lines);
  const paragraphs: Paragraph[] = [];
  let cells: Line[][] = [];
  const close = () => {
    const [first] = cells[0] ?? [];
    if (first) paragraphs.push(toParagraph(cells, first));
    cells = [];
  };
  for (const line of lines) {
    const cell = cells.at(-1);
    const [first] = cell ?? [];
    const last = cell?.at(-1);
    if (!cell || !first || !last) cells = [[line]];
    else if (isBeside(cell, line)) cells.push([line]);
    else if (
      startsParagraph(layout, first, last, line) ||
      (cells.length > 1 && line.x < first.x - line.size / 2)
    ) {
      close();
      cells = [[line]];
    } else cell.push(line);
  }
  close();
  return paragraphs;
}

export interface OutlineEntry {
  title: string;
  items: OutlineEntry[];
}

/** Minimum font size of a heading, relative to the text. */
const MIN_HEADING_RATIO = 1.12;
const MAX_HEADING_LENGTH = 200;
const MAX_HEADING_LINES = 4;
/** Font sizes of headings, each a level. */
const MAX_HEADING_SIZES = 4;
const MAX_BOLD_SHARE = 0.2;

const normalise = (text: string) =>
  oneLine(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

function readOutline(entries: readonly OutlineEntry[]): Map<string, number> {
  const levels = new Map<string, number>();
  let row = [...entries];
  for (let level = 1; row.length > 0 && level <= 6; level++) {
    for (const { title } of row) {
      const key = normalise(title);
      if (key && !levels.has(key)) levels.set(key, level);
    }
    row = row.flatMap((entry) => entry.items ?? []);
  }
  return levels;
}

/** Detects headings by bookmarks, or else by font and size. */
export class Headings {
  readonly #outline: Map<string, number>;
  readonly #sizes: number[];
  readonly #body: { size: number; font: string };
  readonly #rare: Set<string>;

  constructor(lines: readonly Line[], paragraphs: readonly Paragraph[], outline: readonly OutlineEntry[]) {
    const size = mostFrequent(lines, (line) => line.size, 0);
    this.#body = { size, font: mostFrequent(lines, (line) => line.font, "") };
    this.#sizes = this.#headingSizes(paragraphs);
    this.#rare = this.#rareFonts(lines);
    const levels = readOutline(outline);
    const headings = new Set(paragraphs.map((item) => normalise(item.text)).filter((key) => levels.has(key)));
    // Bookmarks that match few paragraphs are ignored.
    this.#outline = headings.size >= Math.max(2, levels.size * 0.4) ? levels : new Map();
  }

  /** @returns 1 to 6; undefined for text */
  levelOf(paragraph: Paragraph, next: Paragraph | undefined): number | undefined {
    const { text, lines, size, isRow } = paragraph;
    if (text.length > MAX_HEADING_LENGTH || isRow || lines > MAX_HEADING_LINES || !/\p{L}{2}/u.test(text))
      return undefined;
    const listed = this.#outline.get(normalise(text));
    if (listed) return listed;
    if (this.#outline.size > 0) return undefined;
    const at = this.#sizes.findIndex((item) => size >= item * 0.97);
    if (at >= 0) return at + 1;
    return this.#isBold(paragraph, next) ? Math.min(6, this.#sizes.length + 1) : undefined;
  }

  #headingSizes(paragraphs: readonly Paragraph[]): number[] {
    const sizes: number[] = [];
    const larger = paragraphs
      .filter(
        (item) =>
          item.size >= this.#body.size * MIN_HEADING_RATIO &&
          item.text.length <= MAX_HEADING_LENGTH &&
          !item.isItem,
      )
      .map((item) => item.size)
      .sort((one, other) => other - one);
    for (const size of larger) {
      const last = sizes.at(-1);
      if (last === undefined || size < last * 0.93) sizes.push(size);
    }
    return sizes.length <= MAX_HEADING_SIZES
      ? sizes
      : [...sizes.slice(0, MAX_HEADING_SIZES - 1), sizes.at(-1) ?? 0];
  }

  #rareFonts(lines: readonly Line[]): Set<string> {
    const counts = new Map<string, number>();
    let all = 0;
    for (const { font, text } of lines) {
      counts.set(font, (counts.get(font) ?? 0) + text.length);
      all += text.length;
    }
    return new Set([...counts].filter(([, count]) => count < all * MAX_BOLD_SHARE).map(([font]) => font));
  }

  /** Whether it is a short line in another font, as large as the following text. */
  #isBold({ text, lines, size, font, isUniform, isItem }: Paragraph, next: Paragraph | undefined): boolean {
    return (
      lines === 1 &&
      isUniform &&
      !isItem &&
      font !== this.#body.font &&
      this.#rare.has(font) &&
      size >= this.#body.size * 0.98 &&
      text.length <= 100 &&
      /^[\p{Lu}\p{Lo}\p{N}]/u.test(text) &&
      !/[.,;:、。]$/u.test(text) &&
      (next?.font === this.#body.font || next?.isRow === true)
    );
  }
}
