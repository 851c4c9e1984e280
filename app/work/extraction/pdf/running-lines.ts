import type { Line } from "./lines";

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
