// Formula syntax without its renderer: the browser parses text while it grows.

/** Characters of one formula, with its delimiters. */
const MAX_CHARACTERS = 2000;

const CLOSING: Record<string, string> = { $$: "$$", "\\[": "\\]", "\\(": "\\)" };
const OPENING = /^(?:\$\$|\\\[|\\\()/;
const BLOCK_OPENING = /^ {0,3}(\$\$|\\\[)/;

/** The closing delimiter of a display formula; undefined if the line begins none. */
export function formulaEnd(line: string): { end: string; isClosed: boolean } | undefined {
  const [lead = "", mark = ""] = BLOCK_OPENING.exec(line) ?? [];
  const end = CLOSING[mark];
  if (end === undefined) return undefined;
  const rest = line.slice(lead.length).trimEnd();
  const at = rest.indexOf(end);
  if (at < 0) return { end, isClosed: false };
  // Following words make it part of a paragraph.
  return at > 0 && at === rest.length - end.length ? { end, isClosed: true } : undefined;
}

/** Undefined if unclosed or too long. */
export function blockFormula(source: string): string | undefined {
  const text = source.trim();
  const end = CLOSING[text.slice(0, 2)];
  if (end === undefined || text.length > MAX_CHARACTERS || text.length < 5 || !text.endsWith(end))
    return undefined;
  return text;
}

/** Index of the next possible formula. */
export function formulaStart(text: string): number | undefined {
  const at = text.search(/\$|\\[([]/);
  return at < 0 ? undefined : at;
}

function delimited(text: string): string | undefined {
  const [mark = ""] = OPENING.exec(text) ?? [];
  const end = CLOSING[mark];
  if (end === undefined || text.startsWith("$$$")) return undefined;
  const at = text.slice(0, MAX_CHARACTERS).indexOf(end, 2);
  return at > 2 && text.slice(2, at).trim() !== "" ? text.slice(0, at + 2) : undefined;
}

/**
 * The formula at the start of a text. As prices stay text, a dollar sign needs an adjacent non-space and no digit after
 * it.
 */
export function formulaAt(text: string): string | undefined {
  const block = delimited(text);
  if (block || text.startsWith("$$")) return block;
  const [formula] = /^\$(?![\s$])(?:[^$\\\n]|\\[^\n]){0,1000}\$/.exec(text) ?? [];
  if (formula === undefined || /\s\$$/.test(formula) || /^\d/.test(text.slice(formula.length)))
    return undefined;
  return formula;
}

/** Whether a formula stands by itself rather than within a line. */
export const isDisplay = (source: string): boolean => source.startsWith("$$") || source.startsWith("\\[");

/** A formula without its delimiters. */
export const innerFormula = (source: string): string =>
  /^(?:\$\$|\\)/.test(source) ? source.slice(2, -2) : source.slice(1, -1);
