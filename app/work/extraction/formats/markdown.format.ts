import { AppError } from "~/core/errors";
import { type DocumentFormat, textOf } from "../format";
import { readMarkdown } from "../markdown/read-markdown";
import { plainText } from "./text.format";

/** Emphasis marks in one paragraph: the lexer is quadratic in them. */
const MAX_MARKS = 1_500;
/** 50 nested quotes or lists. */
const NESTED = /^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)){50}/;
const INDENTED = /^\s{100}\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;
/** Starts of a new paragraph: a blank line, list item, heading or table row. */
const BEGINS = /^\s*(?:$|[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\|[^|]*\|)/;
const MARK = /[*_~]/g;

/**
 * Whether a paragraph has too many emphasis marks for the lexer.
 * @throws AppError `invalid` for too deeply nested quotes or lists
 */
function isTooComplex(text: string): boolean {
  let marks = 0;
  for (const line of text.split("\n")) {
    if (NESTED.test(line) || INDENTED.test(line))
      throw new AppError("invalid", "This Markdown file is nested too deeply. Simplify it and try again.");
    if (BEGINS.test(line)) marks = 0;
    marks += line.match(MARK)?.length ?? 0;
    if (marks > MAX_MARKS) return true;
  }
  return false;
}

export const markdown: DocumentFormat = {
  label: "Markdown",
  endings: [".md", ".markdown"],
  types: ["text/markdown", "text/x-markdown"],
  isText: true,
  async read(file) {
    const text = textOf(file);
    if (!isTooComplex(text)) return readMarkdown(text);
    const document = await plainText.read(file);
    const note = "A paragraph has too many emphasis marks for Markdown, so the file was read as plain text.";
    return { ...document, facts: { ...document.facts, notes: [...(document.facts.notes ?? []), note] } };
  },
};
