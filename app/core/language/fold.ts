import { simplify } from "./chinese";
import { foldLetters, isAscii, normalizeText } from "./letters.shared";

/** A lower-case word without what writers leave out or write in two ways: accents, points, forms of letters. */
export const foldWord = (word: string) => simplify(foldLetters(word));

const foldWhole = (text: string) => foldWord(normalizeText(text).toLowerCase());

/**
 * Units that normalization joins with the one before: `NFC_Quick_Check=Maybe` without the marks that folding removes
 * (https://www.unicode.org/reports/tr15/), narrow kana's signs, Korean parts of syllables, and surrogates.
 */
const JOINING =
  /[\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1100-\u11ff\u1b35\u3099\u309a\u3131-\u318e\ud800-\udfff\uff9e-\uffdc]/;

/** Folded characters by UTF-16 unit, made when first met, which is many times faster than to normalize a text. */
const units = Array<string | undefined>(0x10000).fill(undefined);

/** A text as lists compare it: in lower case, folded. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  if (JOINING.test(text)) return foldWhole(text);
  let folded = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let part = units[unit];
    if (part === undefined) {
      part = foldWhole(String.fromCharCode(unit));
      units[unit] = part;
    }
    folded += part;
  }
  return folded;
}
