import type { Line } from "./lines";

/** Share of the page height at top and bottom for headers, footers and page numbers. */
const MARGIN = 0.12;
/** Minimum number of pages that repeat a line, and their share of the pages from its first to its last. */
const MIN_PAGES = 3;
const MIN_SHARE = 0.75;
/** Pages enough for a chapter's line in a longer document. */
const ENOUGH_PAGES = 8;
/** Minimum distance of a header or footer to the text, in font sizes. */
const MIN_DISTANCE = 1.6;

/** A cell that is only a page number, such as `17`, `- iv -`, `Page 3 of 12`, `3/12` or `第3页`. */
const PAGE_NUMBER =
  /^([^\p{L}\p{N}]*(?:(?:page|p|pg|seite|s|página|pagina|pag|pág|sayfa|стр|страница|strona|str|blatt|folio)\b\.?|第|σελίδα|صفحة|หน้า)?\s*)(\d{1,5}|[ivxlc]{1,8})(\s*(?:(?:of|von|de|di|van|sur|av|af|z|из|\/|\||-)\s*\d{1,5}|[页頁]|ページ)?[^\p{L}\p{N}]*)$/iu;
/** Amounts and percentages are data, even the same on each page. */
const AMOUNT = /\d[.,]\d\d(?!\d)|\p{Sc}|%|\b(?:EUR|USD|CHF|GBP)\b/u;
/** Between the parts of a header. */
const SEPARATOR = /(\s[|•·–—]\s)/;

export const inMargin = ({ up }: Line) => up < MARGIN || up > 1 - MARGIN;

const ROMAN: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanValue(text: string): number {
  const values = [...text.toLowerCase()].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

/**
 * Replaces a page number by its distance to the page's place, which is the same on all pages. A number above the
 * pages' count is data, such as an invoice's, unless it says that it is a page.
 */
function withoutPageNumber(part: string, page: number, pages: number): string {
  const [, before = "", digits, after = ""] = PAGE_NUMBER.exec(part) ?? [];
  if (digits === undefined) return part;
  const number = /^\d/.test(digits) ? Number(digits) : romanValue(digits);
  const isNamed = /\p{L}/u.test(before + after);
  return number <= pages || isNamed ? `${before}#${number - page}${after}` : part;
}

interface Key {
  key: string;
  /** Its text without page numbers. */
  text: string;
}

function keyOf({ parts, y, page, direction }: Line, pages: number): Key {
  const all = parts.map((part) => part.split(SEPARATOR));
  const named = all.map((pieces) => pieces.map((piece) => withoutPageNumber(piece, page, pages)));
  const text = all.map((pieces, part) => pieces.filter((piece, at) => piece === named[part]?.[at]).join(""));
  return {
    key: `${direction} ${Math.round(y / 3)} ${named.flat().join(" ")}`,
    text: text.filter((piece) => /[\p{L}\p{N}]/u.test(piece)).join(" | "),
  };
}

/** @param pages in ascending order, each once */
function isOnNearlyAll(pages: readonly number[], count: number): boolean {
  const [first = 0] = pages;
  const last = pages.at(-1) ?? 0;
  // Books alternate between even and odd pages.
  const step = pages.every((page) => page % 2 === first % 2) ? 2 : 1;
  const span = (last - first) / step + 1;
  const enough = Math.min(ENOUGH_PAGES, Math.max(MIN_PAGES, (count / step) * MIN_SHARE));
  return pages.length >= enough && pages.length >= span * MIN_SHARE;
}

function findRepeated(keys: ReadonlyMap<Line, Key>, count: number): Set<string> {
  const pagesByKey = new Map<string, number[]>();
  for (const [{ page }, { key }] of keys) {
    const pages = pagesByKey.get(key) ?? [];
    if (pages.at(-1) !== page) pages.push(page);
    pagesByKey.set(key, pages);
  }
  return new Set([...pagesByKey].filter(([, pages]) => isOnNearlyAll(pages, count)).map(([key]) => key));
}

function groupByPage(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && last[0]?.page === line.page) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** Lines of a page without a larger gap between them. */
function findBlocks(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of [...lines].sort((one, other) => other.y - one.y)) {
    const last = blocks.at(-1)?.at(-1);
    if (last && last.y - line.y < MIN_DISTANCE * Math.max(line.size, last.size)) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

export interface RunningLines {
  /** Headers and footers stand once, without page numbers, before the text of the page where they begin. */
  lines: Line[];
  /** Number of lines that were left out. */
  dropped: number;
}

/**
 * Drops repetitions of headers and footers, and page numbers, which would interrupt sentences: what stands in the
 * margins, apart from the text, on nearly all pages and says the same but for the page's number.
 * @param lines of the whole document, page by page
 */
export function dropRunningLines(lines: readonly Line[], count: number): RunningLines {
  const keys = new Map(lines.filter(inMargin).map((line) => [line, keyOf(line, count)]));
  const repeated = findRepeated(keys, count);
  const isRunning = (line: Line) => repeated.has(keys.get(line)?.key ?? "") && !AMOUNT.test(line.text);
  const kept: Line[] = [];
  const seen = new Set<string>();
  let dropped = 0;
  for (const pageLines of groupByPage(lines)) {
    // A line beside text is text, such as the same clause under each contract.
    const running = new Set(
      findBlocks(pageLines)
        .filter((block) => block.every(isRunning))
        .flat(),
    );
    const first: Line[] = [];
    for (const line of pageLines) {
      const { text = "" } = keys.get(line) ?? {};
      if (!running.has(line) || !text || seen.has(text)) continue;
      seen.add(text);
      first.push({ ...line, text });
    }
    kept.push(...first, ...pageLines.filter((line) => !running.has(line)));
    dropped += running.size - first.length;
  }
  return { lines: kept, dropped };
}
