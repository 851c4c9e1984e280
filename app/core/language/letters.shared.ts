/** Letters that Unicode doesn't decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
  ς: "σ",
  // Arabic writes alef and ta marbuta in several forms, and Persian has letters of its own.
  أ: "ا",
  إ: "ا",
  آ: "ا",
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ئ: "ي",
  ؤ: "و",
  ة: "ه",
  ک: "ك",
  // Hebrew: final forms.
  ך: "כ",
  ם: "מ",
  ן: "נ",
  ף: "פ",
  ץ: "צ",
};

const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "gu");
/** Accents, Hebrew points, Arabic vowel signs and tatweel. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
/** Soft hyphen and invisible joiners. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

export const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

/** The digit's value: each script's ten digits are in order. */
function toAsciiDigit(digit: string): string {
  let zero = digit.codePointAt(0) ?? 0;
  const value = zero;
  while (value - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((value - zero) % 10);
}

/** A text with compatible forms made equal (full width, ligatures, digits). Keeps case, accents and letters. */
export function normalizeText(text: string): string {
  if (isAscii(text)) return text;
  return text.normalize("NFKC").replace(INVISIBLE, "").replace(OTHER_DIGIT, toAsciiDigit);
}

/** `foldWord` of `fold.ts` without its table of Chinese characters, which is too large for a browser's page. */
export function foldLetters(word: string): string {
  if (isAscii(word)) return word;
  const bare = word.normalize("NFD").replace(MARKS, "").normalize("NFC");
  return bare.replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
}
