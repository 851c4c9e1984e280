import { oneLine } from "../document-builder";
import { type Line, mostFrequent } from "./lines";
import type { Paragraph } from "./paragraphs";
import type { Pdf } from "./pdfium";

/** Minimum font size of a heading, relative to the text. */
const MIN_HEADING_RATIO = 1.12;
const MAX_HEADING_LENGTH = 200;
const MAX_HEADING_LINES = 4;
/** Font sizes of headings, each a level. */
const MAX_HEADING_SIZES = 4;
const MAX_BOLD_SHARE = 0.2;

const normalize = (text: string) =>
  oneLine(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

const MAX_LEVEL = 6;
/** Outlines may be endless: a bookmark may follow itself. */
const MAX_BOOKMARKS = 10_000;

/** @returns levels of the outline's titles, from 1 */
export function readOutline(pdf: Pdf): Map<string, number> {
  const levels = new Map<string, number>();
  let count = 0;
  const read = (parent: number, level: number) => {
    for (const { mark, title } of pdf.bookmarks(parent)) {
      count += 1;
      if (count > MAX_BOOKMARKS) return;
      const key = normalize(title);
      if (key && level < (levels.get(key) ?? Number.POSITIVE_INFINITY)) levels.set(key, level);
      if (level < MAX_LEVEL) read(mark, level + 1);
    }
  };
  read(0, 1);
  return levels;
}

/** Detects headings by bookmarks, or else by font and size. */
export class Headings {
  readonly #outline: ReadonlyMap<string, number>;
  readonly #sizes: number[];
  readonly #body: { size: number; font: string };
  readonly #rare: Set<string>;

  constructor(lines: readonly Line[], paragraphs: readonly Paragraph[], levels: ReadonlyMap<string, number>) {
    const size = mostFrequent(lines, (line) => line.size, 0);
    this.#body = { size, font: mostFrequent(lines, (line) => line.font, "") };
    this.#sizes = this.#headingSizes(paragraphs);
    this.#rare = this.#rareFonts(lines);
    const headings = new Set(paragraphs.map((item) => normalize(item.text)).filter((key) => levels.has(key)));
    // Bookmarks that match few paragraphs are ignored.
    this.#outline = headings.size >= Math.max(2, levels.size * 0.4) ? levels : new Map();
  }

  /** @returns 1 to 6; undefined for text */
  levelOf(paragraph: Paragraph, next: Paragraph | undefined): number | undefined {
    const { text, lines, size, isRow } = paragraph;
    if (text.length > MAX_HEADING_LENGTH || isRow || lines > MAX_HEADING_LINES || !/\p{L}{2}/u.test(text))
      return undefined;
    const listed = this.#outline.get(normalize(text));
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
