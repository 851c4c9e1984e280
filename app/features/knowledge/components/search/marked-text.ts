const COMMON = new Set(
  "a an and are as at be by for from how in is it of on or that the this to was what when where which who why will with".split(
    " ",
  ),
);

const WORD = /[\p{L}\p{N}]+/gu;

/** A rough stem without case and accents, so that "Policies" matches "policy". */
function rough(word: string): string {
  const plain = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/(?<=\p{L}{3})(?:ies|y)$/u, "i").replace(/(?<=\p{L}{3})(?:ing|ed|es|ly|s|e)$/u, "");
}

export interface Stretch {
  /** Offset in characters. */
  at: number;
  text: string;
  marked: boolean;
}

export function markWords(text: string, query: string): Stretch[] {
  const wanted = new Set(
    (query.match(WORD) ?? []).filter((word) => !COMMON.has(word.toLowerCase())).map(rough),
  );
  const stretches: Stretch[] = [];
  let end = 0;
  const add = (to: number, marked: boolean) => {
    if (to > end) stretches.push({ at: end, text: text.slice(end, to), marked });
    end = to;
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.has(rough(word))) continue;
    add(index, false);
    add(index + word.length, true);
  }
  add(text.length, false);
  return stretches;
}

/** A passage's text without empty lines, its list markers as bullets or a task's boxes. */
export function plainPassage(content: string): string {
  return content
    .replace(/\n\s*\n/g, "\n")
    .replace(
      /^([ \t]*)[-*+] (?:\[([ xX])\] )?/gm,
      (_, indent, box) => `${indent}${box ? (box === " " ? "☐" : "☑") : "•"} `,
    );
}

/** Length of an excerpt, in characters. */
const GLANCE = 420;
/** Characters before the first match. */
const LEAD = 90;

export function excerptFor(text: string, query: string): string {
  if (text.length <= GLANCE) return text;
  const first = markWords(text, query).find(({ marked }) => marked)?.at ?? 0;
  let start = Math.min(Math.max(0, first - LEAD), text.length - GLANCE);
  if (start > 0) start += Math.max(0, text.slice(start, start + 30).search(/\s/)) + 1;
  const cut = text.slice(start, start + GLANCE);
  const whole = start + GLANCE < text.length ? cut.replace(/\s+\S*$/, "").replace(/[\s•☐☑|]+$/, "") : cut;
  // Either end may split a surrogate pair.
  const words = whole.replace(/^\p{Surrogate}|\p{Surrogate}$/gu, "").trim();
  return `${start > 0 ? "… " : ""}${words}${start + GLANCE < text.length ? " …" : ""}`;
}
