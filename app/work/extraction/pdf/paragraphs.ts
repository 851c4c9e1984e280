import type { Line } from "./lines";

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
      this.#rights.set(key, Math.max(this.#rights.get(key) ?? line.right, line.right));
      const last = lines[at - 1];
      if (!last || last.page !== line.page || last.size !== line.size || last.direction !== line.direction)
        continue;
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
  // A line further up belongs to another column.
  if (down < line.size * 0.5 || down > widest || (ended && layout.isShort(last))) return false;
  // Either the first line is indented or, after a bullet, all others.
  if (line.x - last.x > line.size) return last === first && (!ended || BULLET.test(first.text));
  return last === first || last.x - line.x <= line.size;
}

function startsParagraph(layout: Layout, first: Line, last: Line, line: Line): boolean {
  if (BULLET.test(line.text) || line.isRow || last.isRow || line.direction !== last.direction) return true;
  if (Math.abs(line.size - last.size) > last.size * 0.1) return true;
  // A short line in another font is a heading.
  const otherFont = first.isUniform && line.isUniform && first.font !== line.font;
  if (otherFont && last === first && layout.isShort(first)) return true;
  if (line.page === last.page) return !continuesParagraph(layout, first, last, line);
  return SENTENCE_END.test(last.text) || !(/^\p{Ll}/u.test(line.text) || WIDE_START.test(line.text));
}

/** Joins the lines of a paragraph, and words that a hyphen parts at a line's end. */
export function joinLines(lines: readonly Pick<Line, "text">[]): string {
  const parts: string[] = [];
  let last = "";
  for (const { text } of lines) {
    // Searching the whole text would be quadratic.
    const end = last.slice(-3);
    const isHyphenated = /\p{Ll}[-\u00ad\u2010]$/u.test(end) && /^\p{Ll}/u.test(text);
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
  const text = cells.map(joinLines).join(" | ");
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
  if (line.direction !== first.direction) return false;
  const right = Math.max(...cell.map((item) => item.right));
  const height = Math.max(first.size, line.size);
  return (
    line.x > right + height * 0.15 && line.y <= first.y + height * BESIDE && line.y >= last.y - height * 0.5
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
