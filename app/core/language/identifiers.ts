import { normalizeText } from "./letters.shared";

/** Private characters, which FTS5 takes for letters, stand for signs that belong to a name and before a date. */
const SIGNS: Readonly<Record<string, string>> = { "+": "\ue02b", "#": "\ue023", ".": "\ue02e" };
const DATE = "\ue000";

/** In characters. */
const MAX_LENGTH = 40;
const MAX_EXTRAS = 400;
/** Digits of a telephone number that are the same with and without its country and area. */
const LOCAL_DIGITS = 7;

// Texts are long, and have few identifiers: a pattern that begins with a sign or a digit is tried at few places, one that
// begins with letters at each.
const ENDS_WITH_SIGN = /(?<![\p{L}\p{N}])\p{L}{1,3}(?:\+\+|#)(?![\p{L}\p{N}+#])/gu;
const BEGINS_WITH_DOT = /\.(?<![\p{L}\p{N}]\.)\p{L}{3,}(?![\p{L}\p{N}+#])/gu;
const JOINED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-./_:][\p{L}\p{N}]+)+/gu;
/** A fraction, a ratio, or the number of a section: its parts are enough. */
const DECIMAL = /^\d{1,4}[./:]\d{1,3}$/;
const GROUPED_NUMBER =
  /(?<![\p{L}\p{N}.,])\d{1,3}([,.'’ ])\d{3}(?:\1\d{3})*(?:[.,]\d{1,2})?(?![\p{L}\p{N}])/gu;
const DIMENSIONS = /(?<![\p{L}\p{N}])\p{L}{0,2}\d+(?: ?[x×] ?\d+)+(?![\p{L}\p{N}])/giu;
const HAS_DIMENSIONS = /\d ?[x×] ?\d/i;
const PHONE = /(?<![\p{L}\p{N}])[+0(][\d ()\-./]{6,24}\d(?![\p{L}\p{N}])/gu;
const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?(?![\p{L}\p{N}])/gu;

const ISO_DATE = /(?<!\d)(\d{4})[-/.年] ?(\d{1,2})[-/.月] ?(\d{1,2})(?!\d)/gu;
const DAY_FIRST = /(?<![\d.])(\d{1,2})[./-] ?(\d{1,2})[./-] ?(\d{4})(?!\d)/gu;
const DAY_NAME_YEAR =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.|er|º)? (?:de )?(\p{L}{3,})\.?,? (?:de )?(\d{4})(?!\d)/giu;
const DAY_YEAR = / (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/gi;
const NAME_BEFORE = /(\p{L}{3,})\.?$/u;
/** In characters, with its point. */
const MAX_MONTH = 20;

const LOCALES = "en de fr es it pt nl pl ru uk cs sv da nb fi tr ro el hu".split(" ");
let months: ReadonlyMap<string, number> | undefined;

/** Months by the names of common languages, long and short. */
function monthOf(name: string): number | undefined {
  if (!months) {
    const found = new Map<string, number>();
    for (const locale of LOCALES) {
      for (const month of ["long", "short"] as const) {
        const format = new Intl.DateTimeFormat(locale, { day: "numeric", month, timeZone: "UTC" });
        for (let number = 0; number < 12; number++) {
          const part = format.formatToParts(Date.UTC(2024, number, 15)).find(({ type }) => type === "month");
          if (part) found.set(part.value.toLowerCase().replace(/\.$/, ""), number + 1);
        }
      }
    }
    months = found;
  }
  return months.get(name.toLowerCase());
}

function date(year = "", month = 0, day = 0): string[] {
  if (month < 1 || month > 12 || day < 1 || day > 31) return [];
  return [`${DATE}${year}${String(month).padStart(2, "0")}${String(day).padStart(2, "0")}`];
}

function* datesIn(text: string): Generator<string> {
  for (const [, year, month, day] of text.matchAll(ISO_DATE)) yield* date(year, Number(month), Number(day));
  for (const [, first, second, year] of text.matchAll(DAY_FIRST)) {
    // The month may come first, as in the United States.
    yield* date(year, Number(second), Number(first));
    if (first !== second) yield* date(year, Number(first), Number(second));
  }
  for (const [, day, name = "", year] of text.matchAll(DAY_NAME_YEAR))
    yield* date(year, monthOf(name), Number(day));
  for (const { 1: day, 2: year, index } of text.matchAll(DAY_YEAR)) {
    const [, name = ""] = NAME_BEFORE.exec(text.slice(Math.max(0, index - MAX_MONTH), index)) ?? [];
    yield* date(year, monthOf(name), Number(day));
  }
}

const BOUNDARY = /(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
/** Parts of a word that a query's word is split into. */
const MAX_PARTS = 4;

/** A query finds `E-4472` by splitting `E4472`: another spelling in the index would only make the text longer for BM25. */
function isFoundBySplitting(parts: readonly string[]): boolean {
  const split = parts.join("").split(BOUNDARY);
  return split.length <= MAX_PARTS && split.join(" ") === parts.join(" ");
}

const digitsOf = (text: string) => text.replace(/\D/g, "");
const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, "");

const hasDigit = (text: string) => /\d/.test(text);

function* joinedIn(text: string): Generator<string> {
  const runs = text
    .split(/\s/)
    .filter(hasDigit)
    .flatMap((part) => part.match(JOINED) ?? []);
  for (const run of runs) {
    if (!hasDigit(run) || DECIMAL.test(run)) continue;
    const parts = run.toLowerCase().split(/[^\p{L}\p{N}]/u);
    if (isFoundBySplitting(parts)) continue;
    const joined = parts.join("");
    yield joined;
    if (/^0\d+$/.test(joined)) yield withoutZeros(joined);
  }
  for (const [number] of text.matchAll(GROUPED_NUMBER)) yield digitsOf(number.replace(/[.,]\d{1,2}$/, ""));
  for (const [run] of HAS_DIMENSIONS.test(text) ? text.matchAll(DIMENSIONS) : [])
    yield run.replaceAll("×", "x").replace(/\s/g, "").toLowerCase();
  for (const [run] of text.matchAll(IBAN)) yield run.replaceAll(" ", "").toLowerCase();
  for (const [run] of text.matchAll(PHONE)) {
    const digits = digitsOf(run);
    if (digits.length < LOCAL_DIGITS || digits.length > 15) continue;
    yield withoutZeros(digits);
    yield digits.slice(-LOCAL_DIGITS);
  }
}

/**
 * One spelling for what is written in several: part numbers without their signs, numbers without separators, IBANs,
 * telephone numbers, dates, and names with a sign, such as `C++`. Additional terms of a text or a query.
 */
export function identifierTerms(text: string): string[] {
  const clean = normalizeText(text);
  const found = new Set<string>();
  const names = [
    ...(/\+\+|#/.test(clean) ? clean.matchAll(ENDS_WITH_SIGN) : []),
    ...clean.matchAll(BEGINS_WITH_DOT),
  ];
  for (const [name] of names) found.add(name.toLowerCase().replace(/[+#.]/g, (sign) => SIGNS[sign] ?? sign));
  // Most texts have few digits, and the patterns below all need one.
  if (hasDigit(clean)) {
    for (const term of joinedIn(clean)) if (term.length <= MAX_LENGTH) found.add(term);
    for (const term of datesIn(clean)) found.add(term);
  }
  return [...found].slice(0, MAX_EXTRAS);
}

const MAX_WINDOW = 8;
const MAX_SPELLINGS = 24;

/**
 * Spellings that a text may have for an identifier of a query: its words joined (`M8 x 40`), and a word split where
 * letters meet digits (`DIN933`), each as the words of a phrase.
 */
export function spellingsOf(words: readonly string[]): string[][] {
  const spellings: string[][] = [];
  for (const [from, word] of words.entries()) {
    const parts = word.split(BOUNDARY);
    if (parts.length > 1 && parts.length <= MAX_PARTS) spellings.push(parts);
    let joined = word;
    for (let end = from + 1; end < Math.min(words.length, from + MAX_WINDOW); end++) {
      joined += words[end];
      if (joined.length > MAX_LENGTH || (words[end]?.length ?? 0) > 8) break;
      if (/\p{N}/u.test(joined)) spellings.push([joined]);
    }
  }
  return spellings.slice(0, MAX_SPELLINGS);
}
