import type { Box, Character, Direction } from "./characters";

/** Lengths are in points, in the direction of the text: `y` grows upwards. */
export interface Line {
  page: number;
  text: string;
  /** Pieces of the text between wide gaps. */
  parts: readonly string[];
  x: number;
  right: number;
  y: number;
  size: number;
  font: string;
  direction: Direction;
  isUniform: boolean;
  isRow: boolean;
  /** Relative height on the page, 0 to 1. */
  up: number;
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
const LEADERS = /(?:\s?[.·․…]){5,}/g;
/** Minimum gap between two cells, relative to the font size. */
const CELL_GAP = 1.6;
/** Maximum gap between two words of a justified line. */
const WIDEST_SPACE = 4;
/** List markers have wide gaps too. */
const MAX_MARKER_WIDTH = 20;
const MARKER = /^(?:\W|[\d.]{1,9}|\(?\w{1,4}[.)])\s*$/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A character other than white space. */
interface Glyph extends Character {
  hasSpace: boolean;
  /** Distance to the character before it, in font sizes. */
  gap: number;
}

const isRightToLeft = ({ text }: Character) => RIGHT_TO_LEFT.test(text);

function gapBetween(last: Character | undefined, next: Character): number {
  // Numbers and foreign words within text from right to left are apart in content order, not on the page.
  if (!last || isRightToLeft(last) !== isRightToLeft(next)) return 0;
  const gap = Math.max(next.x - last.right, last.x - next.right) / (next.size || 1);
  // Words of one text object are spread by justification; cells are objects of their own, or far apart.
  return last.object === next.object && gap < WIDEST_SPACE ? Math.min(gap, CELL_GAP) : gap;
}

function toGlyphs(characters: readonly Character[]): Glyph[] {
  const glyphs: Glyph[] = [];
  let hasSpace = false;
  for (const character of characters) {
    if (character.text.trim() === "") {
      hasSpace = true;
      continue;
    }
    glyphs.push({ ...character, hasSpace, gap: gapBetween(glyphs.at(-1), character) });
    hasSpace = false;
  }
  return glyphs;
}

const MIN_SPACED = 4;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Whether they are the letters of spaced words, not columns of numbers or names of choices. */
function areSpacedWords(glyphs: readonly Glyph[]): boolean {
  const letters = glyphs.filter(({ text }) => /\p{L}/u.test(text));
  const word = letters.map(({ text }) => text.toUpperCase()).join("");
  return letters.length >= MIN_SPACED && !ALPHABET.includes(word);
}

/** Joins letter-spaced words: of letters that stand alone, those with the usual gap are one word. */
function joinSpacedLetters(glyphs: Glyph[]): void {
  const isAlone = (at: number) =>
    /^[\p{L}\p{N}]$/u.test(glyphs[at]?.text ?? "") &&
    (at === 0 || glyphs[at]?.hasSpace === true) &&
    glyphs[at + 1]?.hasSpace !== false;
  for (let start = 0; start < glyphs.length; start++) {
    let end = start;
    while (end < glyphs.length && isAlone(end)) end += 1;
    const run = glyphs.slice(start, end);
    if (areSpacedWords(run)) {
      const [, ...inner] = run;
      const usual = inner.map(({ gap }) => gap).sort((one, other) => one - other)[inner.length >> 1] ?? 0;
      for (const glyph of usual < CELL_GAP ? inner : []) {
        glyph.hasSpace = glyph.gap > usual * 1.5;
        glyph.gap = 0;
      }
    }
    start = Math.max(start, end);
  }
}

/** Collects a line's text in pieces: a line may have as many characters as its page. */
class LineText {
  readonly #parts: string[][] = [[]];
  #hasMarker = false;

  add(text: string): void {
    this.#parts.at(-1)?.push(text);
  }

  /** @returns whether what comes is another cell, not the text of a list's item */
  endPart(): boolean {
    const [first = []] = this.#parts;
    const isMarker =
      this.#parts.length === 1 && first.length <= MAX_MARKER_WIDTH && MARKER.test(first.join(""));
    this.#hasMarker ||= isMarker;
    this.#parts.push([]);
    return !isMarker;
  }

  finish(): Pick<Line, "text" | "parts"> {
    const parts = this.#parts.map((part) =>
      part.join("").replace(LEADERS, " … ").replace(/\s+/g, " ").trim(),
    );
    const [marker = "", ...others] = parts;
    return { text: this.#hasMarker ? `${marker} ${others.join(" | ")}` : parts.join(" | "), parts };
  }
}

const RELATIVE_HEIGHTS: Record<Direction, (y: number, box: Box) => number> = {
  0: (y, { bottom, top }) => (y - bottom) / (top - bottom),
  90: (y, { left, right }) => (y + right) / (right - left),
  180: (y, { bottom, top }) => (y + top) / (top - bottom),
  270: (y, { left, right }) => (y - left) / (right - left),
  vertical: () => 0.5,
};

function toLine(characters: readonly Character[], page: number, box: Box): Line | undefined {
  const glyphs = toGlyphs(characters);
  const [first] = glyphs;
  if (!first) return undefined;
  joinSpacedLetters(glyphs);
  const fonts = new Map<string, number>();
  const sizes = new Map<number, number>();
  const text = new LineText();
  let isRow = false;
  let last = first;
  for (const glyph of glyphs) {
    if (!glyph.isField) addTo(fonts, glyph.font, 1);
    addTo(sizes, Math.round(glyph.size * 10) / 10, glyph.text.length);
    // A field's value stays with its label, and a box with the text behind it.
    const isLabeled = glyph.isField || (last.isField && last.text.length === 1);
    if (glyph.gap > CELL_GAP && !isLabeled) isRow = text.endPart() || isRow;
    else if (glyph.hasSpace || glyph.isField || last.isField || glyph.gap > 1) text.add(" ");
    text.add(glyph.text);
    last = glyph;
  }
  return {
    page,
    ...text.finish(),
    x: Math.min(first.x, last.x),
    right: Math.max(first.right, last.right),
    y: first.y,
    size: heaviest(sizes, first.size),
    font: heaviest(fonts, first.font),
    direction: first.direction,
    isUniform: fonts.size <= 1,
    isRow,
    up: RELATIVE_HEIGHTS[first.direction](first.y, box),
  };
}

function continuesLine(last: Character, next: Character): boolean {
  if (next.text.trim() === "") return true;
  const size = Math.max(last.size, next.size);
  // Superscript and subscript stay on their line.
  if (next.direction !== last.direction || Math.abs(next.y - last.y) > size * 0.5) return false;
  return next.right > last.x - size || isRightToLeft(last) || isRightToLeft(next);
}

/** Splits a page's characters by their position. */
export function splitLines(characters: readonly Character[]): Character[][] {
  const lines: Character[][] = [];
  let last: Character | undefined;
  for (const character of characters) {
    if (last && continuesLine(last, character)) lines.at(-1)?.push(character);
    else lines.push([character]);
    if (character.text.trim() !== "" || !last) last = character;
  }
  return lines;
}

/** PDFium has vertical lines that begin at one height from left to right. */
function orderVertical(lines: readonly Line[]): Line[] {
  const ordered: Line[] = [];
  let group: Line[] = [];
  const close = () => {
    ordered.push(...group.sort((one, other) => other.y - one.y));
    group = [];
  };
  for (const line of lines) {
    const [first] = group;
    if (first && (line.direction !== "vertical" || Math.abs(line.x - first.x) > line.size)) close();
    if (line.direction === "vertical") group.push(line);
    else ordered.push(line);
  }
  close();
  return ordered;
}

/** The lines of a page in content order, usually the reading order. */
export function toLines(lines: readonly (readonly Character[])[], page: number, box: Box): Line[] {
  return orderVertical(lines.flatMap((characters) => toLine(characters, page, box) ?? []));
}

export function mostFrequent<T>(lines: readonly Line[], name: (line: Line) => T, fallback: T): T {
  const weights = new Map<T, number>();
  for (const line of lines) addTo(weights, name(line), line.text.length);
  return heaviest(weights, fallback);
}
