import { AppError } from "~/core/errors";

/** Marks of emphasis in one paragraph: the lexer's time grows with their square. */
const MOST_MARKS = 1_500;
/** Quotes and lists within one another, and how far an item is indented. */
const NESTED = /^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)){50}/;
const INDENTED = /^\s{100}\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;
/** What begins a text of its own: a blank line, an item of a list, a heading, a row of a table. */
const BEGINS = /^\s*(?:$|[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\|[^|]*\|)/;
const MARK = /[*_~]/g;

/**
 * Whether a paragraph has more marks of emphasis than the lexer reads in reasonable time.
 *
 * @throws AppError `invalid` where quotes or lists nest deeper than it reads
 */
export function isIntricate(text: string): boolean {
  let marks = 0;
  for (const line of text.split("\n")) {
    if (NESTED.test(line) || INDENTED.test(line))
      throw new AppError("invalid", "This Markdown file is nested too deeply. Simplify it and try again.");
    if (BEGINS.test(line)) marks = 0;
    marks += line.match(MARK)?.length ?? 0;
    if (marks > MOST_MARKS) return true;
  }
  return false;
}
