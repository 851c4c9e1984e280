import { simplify } from "./chinese";
import { foldLetters, isAscii, normalizeText } from "./letters.shared";

/** A lower-case word without what writers leave out or write in two ways: accents, points, forms of letters. */
export const foldWord = (word: string) => simplify(foldLetters(word));

/** A text as lists compare it: in lower case, folded. */
export const foldText = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : foldWord(normalizeText(text).toLowerCase());
