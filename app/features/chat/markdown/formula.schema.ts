// What is a formula in Markdown, without what typesets it: the browser reads text while it grows.

/** Characters of one formula, with its delimiters. */
const MOST_CHARACTERS = 2000;

const CLOSING: Record<string, string> = { $$: "$$", "\\[": "\\]", "\\(": "\\)" };
const OPENING = /^(?:\$\$|\\\[|\\\()/;
const BLOCK_OPENING = /^ {0,3}(\$\$|\\\[)/;

/** The delimiter that ends a formula on lines of its own; undefined where the line begins none. */
export function formulaEnd(line: string): { end: string; closed: boolean } | undefined {
  const [lead = "", mark = ""] = BLOCK_OPENING.exec(line) ?? [];
  const end = CLOSING[mark];
  if (end === undefined) return undefined;
  const rest = line.slice(lead.length).trimEnd();
  const at = rest.indexOf(end);
  if (at < 0) return { end, closed: false };
  // Words behind it make it part of a paragraph.
  return at > 0 && at === rest.length - end.length ? { end, closed: true } : undefined;
}

/** The source of a formula that a block holds; undefined where it isn't closed or is too long. */
export function blockFormula(source: string): string | undefined {
  const text = source.trim();
  const end = CLOSING[text.slice(0, 2)];
  if (end === undefined || text.length > MOST_CHARACTERS || text.length < 5 || !text.endsWith(end))
    return undefined;
  return text;
}

/** Where the next formula of a line may begin. */
export function formulaStart(text: string): number | undefined {
  const at = text.search(/\$|\\[([]/);
  return at < 0 ? undefined : at;
}

function delimited(text: string): string | undefined {
  const [mark = ""] = OPENING.exec(text) ?? [];
  const end = CLOSING[mark];
  if (end === undefined || text.startsWith("$$$")) return undefined;
  const at = text.slice(0, MOST_CHARACTERS).indexOf(end, 2);
  return at > 2 && text.slice(2, at).trim() !== "" ? text.slice(0, at + 2) : undefined;
}

/**
 * The formula that a text begins with, with its delimiters. A dollar sign opens one only before something that isn't a
 * space, and closes one only behind such and not before a digit: prices stay text.
 */
export function formulaAt(text: string): string | undefined {
  const block = delimited(text);
  if (block || text.startsWith("$$")) return block;
  const [found] = /^\$(?![\s$])(?:[^$\\\n]|\\[^\n]){0,1000}\$/.exec(text) ?? [];
  if (found === undefined || /\s\$$/.test(found) || /^\d/.test(text.slice(found.length))) return undefined;
  return found;
}

/** Whether a formula stands by itself rather than within a line. */
export const isDisplay = (source: string): boolean => source.startsWith("$$") || source.startsWith("\\[");

/** A formula without its delimiters. */
export const innerFormula = (source: string): string =>
  /^(?:\$\$|\\)/.test(source) ? source.slice(2, -2) : source.slice(1, -1);
