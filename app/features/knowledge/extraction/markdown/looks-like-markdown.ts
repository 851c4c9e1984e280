import { codeShare } from "./code-lines";
import { isBlank, type Line, readLines } from "./lines";

/** What is looked at of a text, in characters, a few milliseconds at most: the rest is as its beginning. */
const SAMPLE = 20_000;
/** Of the lines that could be either: a script, a configuration or a program has far more, a text hardly any. */
const CODE_SHARE = 0.15;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$/;
/** A comment is a sentence, a rule or commented-out code. */
const COMMENT = /[.;,{}\\=]$|^[-!$@%]/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*$/;
const ITEM = /^ {0,8}(?:[-*+]|\d{1,3}[.)])[ \t]+[^\s*+-]/;
const TASK = /^ {0,8}[-*+][ \t]+\[[ xX]\][ \t]+\S/;
const INLINE = /\*\*[^*\s][^*]*\*\*|\[[^\]]+\]\((?:https?:|\/|#|\.)[^)\s]*\)|(?<!`)`[^`]+`(?!`)/;
const SENTENCE = /[.!?:…。！？]["')\]”»]*[ \t]*$/;
const PROSE_START = /^["'(“„«¿¡]?(?:[\p{L}_[`]|\*{1,2}\p{L})/u;
const NO_PROSE = /[$={}<>|\\]|\s--?\w/;

const words = (text: string) => text.trim().split(/\s+/).length;

/** A line of a paragraph, rather than a command below a comment. */
function isProse(text: string): boolean {
  if (!PROSE_START.test(text) || NO_PROSE.test(text)) return false;
  // Scripts without spaces have one word in a line.
  if (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{6}/u.test(text)) return true;
  return words(text) >= 8 || (words(text) >= 4 && SENTENCE.test(text));
}

const cells = (row: string) =>
  row
    .replace(/^\s*\|/, "")
    .replace(/\|\s*$/, "")
    .split("|").length;

function isTable(row: Line, delimiters: Line | undefined): boolean {
  if (!delimiters || !row.text.includes("|") || !DELIMITER_ROW.test(delimiters.text)) return false;
  return delimiters.text.includes("|") && cells(row.text) === cells(delimiters.text);
}

/** From 1 to 6; 0 for what is no heading, such as a comment. */
function levelOf(line: Line | undefined): number {
  const [, marks = "", text = ""] = HEADING.exec(line?.text ?? "") ?? [];
  return COMMENT.test(text) || !/\p{L}/u.test(text) ? 0 : marks.length;
}

/** A heading is behind an empty line and before what a heading may stand before. */
function isHeading(lines: readonly Line[], at: number): boolean {
  const [before, line, after] = [lines[at - 1], lines[at], lines[at + 1]];
  if (!line) return false;
  const level = levelOf(line);
  if (level === 0) {
    const below = after && UNDERLINE.test(after.text) ? after.text.trim().length : 0;
    const alike = below >= 3 && Math.abs(below - line.text.trim().length) <= 3;
    return alike && isBlank(before) && isBlank(lines[at + 2]);
  }
  // Lines of comment follow each other on one level.
  if (!isBlank(before) && levelOf(before) !== level - 1) return false;
  if (isBlank(after) || after?.fenced || levelOf(after) === level + 1) return true;
  return isProse(after?.text ?? "") || ITEM.test(after?.text ?? "");
}

/**
 * Whether a text without a name or a type is Markdown, by its structure: headings, tables, fenced code and lists.
 * Rather not than wrongly: read as Markdown, a script's comments would be headings.
 */
export function looksLikeMarkdown(text: string): boolean {
  const { lines, fences } = readLines(text.slice(0, SAMPLE));
  const open = lines.filter(({ fenced }) => !fenced);
  if (open[0]?.text.startsWith("#!") || codeShare(open) > CODE_SHARE) return false;
  if (fences > 0 || open.some((line, at) => isTable(line, open[at + 1]))) return true;
  const headings = lines.filter((line, at) => !line.fenced && isHeading(lines, at)).length;
  const items = open.filter(({ text }) => ITEM.test(text)).length;
  const tasks = open.filter(({ text }) => TASK.test(text)).length;
  if (headings > 0 && (items >= 2 || open.some(({ text }) => isProse(text)))) {
    const first = lines.findIndex((line) => !isBlank(line));
    return headings >= 2 || items >= 2 || isHeading(lines, first);
  }
  // In a list with a few marks; that of a text that has its own way of marking is a small part of it.
  const listed = items >= 3 && items * 4 >= open.filter((line) => !isBlank(line)).length;
  return tasks >= 2 || (listed && open.some(({ text }) => INLINE.test(text)));
}
