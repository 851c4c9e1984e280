/** Longer words are data and indexed by their first characters. */
const MAX_LENGTH = 40;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words, and Korean, which joins endings to words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const MAYBE_UNSPACED = /[\u0e00-\u{3ffff}]/u;
const CAMEL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const CAMEL_PART = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|\p{N}+/gu;

/** Removes accents, full-width and ligature forms. Keeps the case, for `getUserName`. */
function plain(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC");
}

function bigrams(run: string): string[] {
  const characters = Array.from(run.replace(/\p{M}/gu, ""));
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

export interface Token {
  text: string;
  /** The parts of an identifier such as `getUserName`, in lower case. */
  parts?: string[];
  /** The last character of an unspaced run, which begins no pair. */
  last?: string;
}

function pushUnspaced(run: string, tokens: Token[]): void {
  const pairs = bigrams(run);
  for (const [index, text] of pairs.entries()) {
    const last = index === pairs.length - 1 ? Array.from(text)[1] : undefined;
    tokens.push(last === undefined ? { text } : { text, last });
  }
}

function pushWord(word: string, tokens: Token[]): void {
  if (word === "") return;
  const text = word.toLowerCase();
  if (text.length > MAX_LENGTH) tokens.push({ text: text.slice(0, MAX_LENGTH) });
  else if (text === word || !CAMEL.test(word)) tokens.push({ text });
  else tokens.push({ text, parts: (word.match(CAMEL_PART) ?? []).map((part) => part.toLowerCase()) });
}

/**
 * Splits a text into lower-case words, and unspaced scripts into overlapping character pairs. Indexing,
 * queries and embeddings share it.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [word] of plain(text).matchAll(WORD)) {
    if (!MAYBE_UNSPACED.test(word)) {
      pushWord(word, tokens);
      continue;
    }
    let from = 0;
    for (const run of word.matchAll(UNSPACED)) {
      pushWord(word.slice(from, run.index), tokens);
      pushUnspaced(run[0], tokens);
      from = run.index + run[0].length;
    }
    pushWord(word.slice(from), tokens);
  }
  return tokens;
}
