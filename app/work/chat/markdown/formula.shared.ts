// Formula syntax without its renderer: the browser parses text while it grows.
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

/** Characters of one formula, with its delimiters. */
const MAX_CHARACTERS = 2000;
/** Characters of a formula's line that are looked at. */
const MAX_LINE = 4000;

const CLOSING: Record<string, string> = { $$: "$$", "\\[": "\\]", "\\(": "\\)" };
const OPENING = /^(?:\$\$|\\\[|\\\()/;
const BLOCK_OPENING = /^ {0,3}(\$\$|\\\[)/;

function formulaEnd(line: string): { end: string; isClosed: boolean } | undefined {
  const [lead = "", mark = ""] = BLOCK_OPENING.exec(line) ?? [];
  const end = CLOSING[mark];
  if (end === undefined) return undefined;
  const rest = line.slice(lead.length).trimEnd();
  const at = rest.indexOf(end);
  if (at < 0) return { end, isClosed: false };
  // Following words make it part of a paragraph.
  return at > 0 && at === rest.length - end.length ? { end, isClosed: true } : undefined;
}

function blockFormula(source: string): string | undefined {
  const text = source.trim();
  const end = CLOSING[text.slice(0, 2)];
  if (end === undefined || text.length > MAX_CHARACTERS || text.length < 5 || !text.endsWith(end))
    return undefined;
  return text;
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
function formulaAt(text: string): string | undefined {
  const block = delimited(text);
  if (block || text.startsWith("$$")) return block;
  const [formula] = /^\$(?![\s$])(?:[^$\\\n]|\\[^\n]){0,1000}\$/.exec(text) ?? [];
  if (formula === undefined || /\s\$$/.test(formula) || /^\d/.test(text.slice(formula.length)))
    return undefined;
  return formula;
}

/** Whether a formula stands by itself rather than within a line. */
export const isDisplay = (source: string): boolean => source.startsWith("$$") || source.startsWith("\\[");

export const innerFormula = (source: string): string =>
  /^(?:\$\$|\\)/.test(source) ? source.slice(2, -2) : source.slice(1, -1);

function readInlineFormula(state: StateInline, silent: boolean): boolean {
  const mark = state.src.charCodeAt(state.pos);
  if (mark !== 36 && mark !== 92) return false;
  const source = formulaAt(state.src.slice(state.pos, state.posMax));
  if (source === undefined) return false;
  if (!silent) state.push("math", "", 0).content = source;
  state.pos += source.length;
  return true;
}

function readBlockFormula(state: StateBlock, first: number, end: number, silent: boolean): boolean {
  if ((state.sCount[first] ?? 0) - state.blkIndent >= 4) return false;
  const lineAt = (line: number) => {
    const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
    return state.src.slice(from, Math.min(state.eMarks[line] ?? from, from + MAX_LINE));
  };
  const formula = formulaEnd(lineAt(first));
  if (!formula) return false;
  let last = first;
  let length = lineAt(first).length;
  let isClosed = formula.isClosed;
  while (!isClosed && length < MAX_LINE && ++last < end && !state.isEmpty(last)) {
    length += lineAt(last).length + 1;
    isClosed = lineAt(last).trimEnd().endsWith(formula.end);
  }
  const source = isClosed ? blockFormula(state.getLines(first, last + 1, state.blkIndent, false)) : undefined;
  if (source === undefined) return false;
  if (silent) return true;
  state.line = last + 1;
  const token = state.push("math_block", "", 0);
  token.content = source;
  token.map = [first, state.line];
  return true;
}

/** A plugin of markdown-it: formulas within a line, and on lines of their own. */
export function formulas(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "math", readInlineFormula);
  md.block.ruler.before("fence", "math", readBlockFormula, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
}
