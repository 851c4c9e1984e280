// Estimates tokens without a model's tokenizer, which is far slower. Calibrated against o200k_base
// (count-tokens.test.ts).

const SPACE = 0;
const LINE = 1;
const LOWER = 2;
const UPPER = 3;
const ACCENTED = 4;
const DIGIT = 5;
const MARK = 6;
/** Greek, Cyrillic, Armenian, Georgian: whole words are tokens. */
const LETTER = 7;
const HANGUL = 8;
const KANA = 9;
const HAN = 10;
const SURROGATE = 11;
const SYMBOL = 12;
/** Arabic, Hebrew, Indic scripts, Thai and others: parts of words are tokens. */
const SCRIPT = 13;

interface Weight {
  /** Weight of the first character of a word, number or run of marks. */
  first: number;
  /** Weight of a character that follows one of the kinds in `after`. */
  following: number;
  after: readonly number[];
}

const each = (weight: number): Weight => ({ first: weight, following: weight, after: [] });

/** By kind. A space usually belongs to the next word, three digits are a token, and capitals are rare. */
const WEIGHTS: readonly Weight[] = [
  { first: 0.15, following: 0.02, after: [SPACE, LINE] },
  { first: 1, following: 0.2, after: [LINE] },
  { first: 0.4, following: 0.14, after: [LOWER, UPPER, ACCENTED] },
  { first: 0.8, following: 0.22, after: [UPPER] },
  each(1),
  { first: 1, following: 0.3, after: [DIGIT] },
  { first: 0.75, following: 0.25, after: [MARK] },
  { first: 1, following: 0.21, after: [LETTER] },
  { first: 1.1, following: 0.55, after: [HANGUL] },
  each(0.75),
  each(0.9),
  each(0.8),
  each(1),
  each(0.36),
];
const REPEATED = 0.15;

const KINDS = WEIGHTS.length;
const TABLE = Float64Array.from({ length: KINDS * KINDS }, (_, at) => {
  const weight = WEIGHTS[at % KINDS];
  if (!weight) return 0;
  return weight.after.includes(Math.floor(at / KINDS)) ? weight.following : weight.first;
});

function asciiKind(code: number): number {
  if (code === 10 || code === 13) return LINE;
  if (code <= 32) return SPACE;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 97 && code <= 122 ? LOWER : MARK;
}

const ASCII = Uint8Array.from({ length: 128 }, (_, code) => asciiKind(code));

const RANGES: readonly (readonly [number, number])[] = [
  [0xa0, SPACE],
  [0xbf, MARK],
  [0x24f, ACCENTED],
  [0x36f, SCRIPT],
  [0x58f, LETTER],
  [0x109f, SCRIPT],
  [0x10ff, LETTER],
  [0x1dff, SCRIPT],
  [0x1eff, ACCENTED],
  [0x1fff, LETTER],
  [0x303f, SYMBOL],
  [0x30ff, KANA],
  [0x33ff, SYMBOL],
  [0x9fff, HAN],
  [0xabff, SCRIPT],
  [0xd7ff, HANGUL],
  [0xdfff, SURROGATE],
  [0xfaff, HAN],
];

function kindOf(code: number): number {
  if (code < 128) return ASCII[code] ?? MARK;
  return RANGES.find(([last]) => code <= last)?.[1] ?? SYMBOL;
}

export function weigh(text: string, start: number, end: number): number {
  let sum = 0;
  let before = start > 0 ? text.charCodeAt(start - 1) : 10;
  let kind = kindOf(before);
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const next = kindOf(code);
    sum += code === before && next === MARK ? REPEATED : (TABLE[kind * KINDS + next] ?? 0);
    before = code;
    kind = next;
  }
  return sum;
}

export function countTokens(text: string): number {
  return Math.ceil(weigh(text, 0, text.length));
}
