export const PII_KINDS = ["email", "phone", "card", "iban", "ip", "ssn", "secret"] as const;
export type PiiKind = (typeof PII_KINDS)[number];

export interface PiiMatch {
  kind: PiiKind;
  start: number;
  end: number;
}

/** Luhn's checksum (ISO/IEC 7812-1). */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The IBAN's check digits (ISO 13616). */
function isIban(text: string): boolean {
  const compact = text.replaceAll(/\s/g, "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of moved) {
    const value = Number.parseInt(character, 36);
    if (Number.isNaN(value)) return false;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const isIp = (text: string) => text.split(".").every((part) => Number(part) < 256);
const isPhone = (text: string) => {
  const digits = text.replaceAll(/\D/g, "").length;
  return digits >= 8 && digits <= 15;
};

// Without ambiguous repetition, each pattern takes linear time.
const RULES: readonly { kind: PiiKind; pattern: RegExp; check?: (text: string) => boolean }[] = [
  {
    kind: "secret",
    pattern: /\b(?:sk-[\w-]{16,100}|gh[pousr]_\w{20,100}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,100})/g,
  },
  { kind: "email", pattern: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g },
  { kind: "iban", pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g, check: isIban },
  { kind: "card", pattern: /\b\d(?:[ -]?\d){12,18}\b/g, check: isCard },
  { kind: "ssn", pattern: /\b(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/g },
  { kind: "ip", pattern: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g, check: isIp },
  {
    kind: "phone",
    pattern: /(?:\+|\b00)\d{1,3}(?:[ ()./-]{0,2}\d){6,14}|\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b/g,
    check: isPhone,
  },
];

interface Span {
  start: number;
  end: number;
}

/** Sorted; those that overlap become one, named as the longest of them: nothing that was found is left out. */
export function uniteOverlaps<T extends Span>(...lists: readonly (readonly T[])[]): T[] {
  // What is as long keeps the order of the lists.
  const all = lists.flat().sort((a, b) => a.start - b.start || b.end - a.end);
  const united: T[] = [];
  let longest = 0;
  for (const one of all) {
    const last = united.at(-1);
    const length = one.end - one.start;
    if (!last || one.start >= last.end) {
      united.push(one);
      longest = length;
      continue;
    }
    const named = length > longest ? one : last;
    united[united.length - 1] = { ...named, start: last.start, end: Math.max(last.end, one.end) };
    longest = Math.max(longest, length);
  }
  return united;
}

/** Sorted, without overlaps. No rule's match is longer than `LONGEST_PII`. */
export function findPii(text: string, kinds: readonly PiiKind[]): PiiMatch[] {
  const matches = RULES.filter(({ kind }) => kinds.includes(kind)).map(({ kind, pattern, check }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => !check || check(match))
      .map(({ index, 0: match }) => ({ kind, start: index, end: index + match.length })),
  );
  return uniteOverlaps(...matches);
}

/** In characters; an email address can be that long. */
export const LONGEST_PII = 512;
