/** Longer ones are no words but data; their beginning is enough to find them by. In characters. */
const LONGEST = 40;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that are written without spaces, or, as Korean, with endings joined to the words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
/** The first character of such a script is behind all that are spaced and common. */
const MAYBE_UNSPACED = /[\u0e00-\u{3ffff}]/u;
const CAMEL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const CAMEL_PART = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|\p{N}+/gu;

/** A text as it is compared: without accents, full-width and ligature forms. Case is kept, for `getUserName`. */
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
  /** Ends a run of a script without spaces: its last character begins no pair. */
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
  if (text.length > LONGEST) tokens.push({ text: text.slice(0, LONGEST) });
  // Most words are in lower case altogether: no parts to look for.
  else if (text === word || !CAMEL.test(word)) tokens.push({ text });
  else tokens.push({ text, parts: (word.match(CAMEL_PART) ?? []).map((part) => part.toLowerCase()) });
}

/**
 * The words of a text in lower case, in their order; overlapping pairs of characters where a script has no spaces. What
 * is indexed, asked and embedded goes through this one function.
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
