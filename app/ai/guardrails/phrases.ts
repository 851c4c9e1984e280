/** A phrase of a block list, ready to be looked for. */
interface Phrase {
  /** What stands between its asterisks, normalized. */
  parts: string[];
  startsWord: boolean;
  endsWord: boolean;
  /** 1 for the first line of its list. */
  line: number;
  /** In normalized characters. */
  longest: number;
}

export interface PhraseMatch {
  line: number;
}

/** Which part of a text it is; both for a whole one. */
export interface TextPart {
  isBeginning: boolean;
  isEnd: boolean;
}

const WHOLE: TextPart = { isBeginning: true, isEnd: true };

/** Characters for which an asterisk stands at most. */
const WILDCARD = 64;

/** Characters in which phrases are looked for in one turn of the event loop: 500 with asterisks take up to 15 ms. */
export const CHECKED = 1024;

/** Invisible characters, and accents that can't be composed: they would hide a phrase from a comparison. */
const IGNORED = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
const SPACES = /[\s\p{Z}]+/gu;

const normalize = (text: string): string =>
  text.normalize("NFKC").replace(IGNORED, "").replace(SPACES, " ").toLowerCase();

const WORD = /[\p{L}\p{N}]/u;
/** Scripts whose words aren't separated. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const needsBorder = (character: string | undefined) =>
  character !== undefined && WORD.test(character) && !UNSPACED.test(character);

const lastOf = (text: string) => [...text.slice(-2)].at(-1);
const firstOf = (text: string) => [...text.slice(0, 2)][0];

function compile(phrase: string, line: number): Phrase | undefined {
  const parts = normalize(phrase).split("*");
  const inner = parts.filter((part) => part !== "");
  const [first] = inner;
  const last = inner.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    parts: inner,
    startsWord: parts[0] !== "" && needsBorder(firstOf(first)),
    endsWord: parts.at(-1) !== "" && needsBorder(lastOf(last)),
    line,
    longest: inner.join("").length + (inner.length - 1) * WILDCARD,
  };
}

/** The end of a phrase that begins at `start`; -1 if it doesn't. Each wildcard stands for characters of one word. */
function endOf(text: string, { parts }: Phrase, start: number): number {
  let end = start + (parts[0]?.length ?? 0);
  for (const part of parts.slice(1)) {
    const within = text.slice(end, end + WILDCARD + part.length);
    const at = within.indexOf(part);
    if (at < 0 || within.slice(0, at).includes(" ")) return -1;
    end += at + part.length;
  }
  return end;
}

export class BlockList {
  readonly #phrases: Phrase[];
  /** How much of a stream's end may be the beginning of a phrase, in normalized characters. */
  readonly longest: number;

  /** @param phrases one of each line */
  constructor(phrases: readonly string[]) {
    this.#phrases = phrases.flatMap((phrase, index) => compile(phrase, index + 1) ?? []);
    this.longest = Math.max(0, ...this.#phrases.map(({ longest }) => longest)) + 1;
  }

  get isEmpty(): boolean {
    return this.#phrases.length === 0;
  }

  /**
   * Finds a phrase, regardless of case, width, spacing and invisible characters.
   *
   * @param part whether more may follow, so that what ends with the text may go on, and whether other text came before,
   * so that its first character may be the middle of a word
   */
  find(text: string, { isEnd, isBeginning }: TextPart = WHOLE): PhraseMatch | undefined {
    const normal = normalize(text);
    return this.#phrases.find((phrase) => this.#isIn(normal, phrase, isBeginning ? 0 : 1, isEnd));
  }

  #isIn(text: string, phrase: Phrase, from: number, isWhole: boolean): boolean {
    const [first = ""] = phrase.parts;
    for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
      if (phrase.startsWord && needsBorder(lastOf(text.slice(0, at)))) continue;
      const end = endOf(text, phrase, at);
      if (end < 0 || (!isWhole && end === text.length && phrase.endsWord)) continue;
      if (!phrase.endsWord || !needsBorder(firstOf(text.slice(end, end + 2)))) return true;
    }
    return false;
  }
}

/** Vowels and ends of Korean syllables, which are one character once they are composed. */
const WITHIN_SYLLABLE = /[\u1160-\u11ff]/;
const isCounted = (character: string) =>
  character.replace(IGNORED, "") !== "" && !WITHIN_SYLLABLE.test(character);
const isSpace = (character: string) => character.replace(SPACES, "") === "";

/** Invisible characters that are held back at most; a text with more of them isn't read by anybody. */
const MAX_HELD = 8192;

/** The length of the part of a text before its last `count` visible characters, in UTF-16 units. */
export function lengthBefore(text: string, count: number): number {
  let left = count;
  let at = text.length;
  let wasSpace = false;
  const limit = Math.max(0, text.length - MAX_HELD);
  while (at > limit && left > 0) {
    const pair = at > 1 && /[\udc00-\udfff]/.test(text.charAt(at - 1)) ? 2 : 1;
    const character = text.slice(at - pair, at);
    at -= pair;
    const space = isSpace(character);
    if (isCounted(character) && !(space && wasSpace)) left -= 1;
    wasSpace = space;
  }
  return at;
}
