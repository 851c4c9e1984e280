/** Signs of every script that stand at other places if the bytes are swapped. */
const SEPARATORS = /[\t\n\r \u3000-\u3002\uff01\uff0c\uff1a\uff1f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: counts them
const STRANGE = /[\u0001-\u0008\u000b\u000e-\u001f\u007f-\u009f\p{Cn}\p{Co}]/gu;
const ASCII = /[\t\n\r -~]/g;
const LETTERS = /[\p{L}\p{M}]/gu;
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u30fc]/gu;

const MAX_STRANGE_SHARE = 0.01;
const MIN_COHERENCE = 0.9;
/** Text in Latin script has most of its characters in ASCII. */
const MIN_ASCII_SHARE = 0.5;
/** Different letters of a text in another script. */
const MIN_LETTERS = 5;
/** Fewer bytes may be anything. */
const MIN_BYTES = 20;
/** Text of one byte per character has more bytes of ASCII, and UTF-16 in any script fewer. */
const MAX_ASCII_SHARE = 0.8;
/** Characters of a text within which a space, a line end or a full stop must come. */
const LONGEST_RUN = 200;

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Whether the letters are of one script: Chinese, Japanese and Korean, or two blocks of 128 besides ASCII. */
function isCoherent(text: string): boolean {
  if (countOf(text, ASCII) >= text.length * MIN_ASCII_SHARE) return true;
  const letters = (text.match(LETTERS) ?? []).filter((letter) => letter > "\u007f");
  if (new Set(letters).size < MIN_LETTERS) return false;
  if (countOf(text, CJK) >= letters.length * MIN_COHERENCE) return true;
  const blocks = new Map<number, number>();
  for (const letter of letters) {
    const block = (letter.codePointAt(0) ?? 0) >> 7;
    blocks.set(block, (blocks.get(block) ?? 0) + 1);
  }
  const [first = 0, second = 0] = [...blocks.values()].sort((one, other) => other - one);
  return first + second >= letters.length * MIN_COHERENCE;
}

/** @returns how many separators the bytes have in this order; undefined if they are no text in it */
function countSeparators(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): number | undefined {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
  if (text.includes("\0") || countOf(text, STRANGE) > text.length * MAX_STRANGE_SHARE) return undefined;
  const separators = countOf(text, SEPARATORS);
  const isText = text.length < LONGEST_RUN || separators * LONGEST_RUN >= text.length;
  return isText && isCoherent(text) ? separators : undefined;
}

/** UTF-16 without a byte order mark, in any script; undefined for binary data. */
export function findWideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  let ascii = 0;
  for (const byte of bytes) if (byte >= 32 && byte < 127) ascii += 1;
  if (bytes.length < MIN_BYTES || ascii > bytes.length * MAX_ASCII_SHARE) return undefined;
  const little = countSeparators(bytes, "utf-16le");
  const big = countSeparators(bytes, "utf-16be");
  if (little === undefined && big === undefined) return undefined;
  return (big ?? -1) > (little ?? -1) ? "utf-16be" : "utf-16le";
}
