import { showTableRows } from "~/work/search/table-rows.shared";

const COMMON = new Set(
  "a an and are as at be by for from how in is it of on or that the this to was what when where which who why will with".split(
    " ",
  ),
);

const WORD = /[\p{L}\p{N}]+/gu;

/** A rough stem without case and accents, so that "Policies" matches "policy". */
function roughStem(word: string): string {
  const plain = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/(?<=\p{L}{3})(?:ies|y)$/u, "i").replace(/(?<=\p{L}{3})(?:ing|ed|es|ly|s|e)$/u, "");
}

export interface TextPart {
  /** Offset in characters. */
  at: number;
  text: string;
  isMarked: boolean;
}

export function markWords(text: string, query: string): TextPart[] {
  const queryStems = new Set(
    (query.match(WORD) ?? []).filter((word) => !COMMON.has(word.toLowerCase())).map(roughStem),
  );
  const parts: TextPart[] = [];
  let end = 0;
  const add = (to: number, isMarked: boolean) => {
    if (to > end) parts.push({ at: end, text: text.slice(end, to), isMarked });
    end = to;
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!queryStems.has(roughStem(word))) continue;
    add(index, false);
    add(index + word.length, true);
  }
  add(text.length, false);
  return parts;
}

/** A passage's text without empty lines and the syntax of lists, tasks and tables. */
export function plainPassage(content: string): string {
  return showTableRows(content.replace(/\n\s*\n/g, "\n")).replace(
    /^([ \t]*)[-*+] (?:\[([ xX])\] )?/gm,
    (_, indent, box) => `${indent}${box ? (box === " " ? "☐" : "☑") : "•"} `,
  );
}

/** Length of an excerpt, in characters. */
const EXCERPT_LENGTH = 420;
const LEAD = 90;

export function excerptFor(text: string, query: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const first = markWords(text, query).find(({ isMarked }) => isMarked)?.at ?? 0;
  let start = Math.min(Math.max(0, first - LEAD), text.length - EXCERPT_LENGTH);
  if (start > 0) start += Math.max(0, text.slice(start, start + 30).search(/\s/)) + 1;
  const cut = text.slice(start, start + EXCERPT_LENGTH);
  const trimmed =
    start + EXCERPT_LENGTH < text.length ? cut.replace(/\s+\S*$/, "").replace(/[\s•☐☑·]+$/, "") : cut;
  // Either end may split a surrogate pair.
  const words = trimmed.replace(/^\p{Surrogate}|\p{Surrogate}$/gu, "").trim();
  return `${start > 0 ? "… " : ""}${words}${start + EXCERPT_LENGTH < text.length ? " …" : ""}`;
}
