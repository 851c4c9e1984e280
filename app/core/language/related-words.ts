import { beginningExpression, wordExpression } from "./analysis";
import { hasCompounds, NO_LANGUAGE } from "./language-codes";
import { languageOf } from "./languages";
import { stem, type Token } from "./terms";
import { isWithinOneEdit, type Vocabulary } from "./vocabulary";

/** Letters of a word in which a typing error is looked for; shorter words are often one edit from another. */
const SHORTEST_MISTYPED = 6;
/** Shares of an unknown word that a word which begins it has at least, and a beginning that it shares. */
const OF_WORD = 0.5;
const OF_BEGINNING = 0.6;
/** Fewer letters begin too many words. */
const SHORTEST_BEGINNING = 4;
/** Letters of a compound's part. */
const SHORTEST_PART = 4;
/** Letters before the shortest part and longer ones: fewer are mostly a prefix, which makes another word. */
const BEFORE_SHORT = 4;
const BEFORE_LONG = 3;
/** Compounds that a word is looked for in, the shortest first. */
const MAX_COMPOUNDS = 12;

function longestBeginning(word: string, share: number, test: (part: string) => boolean): string | undefined {
  const shortest = Math.max(SHORTEST_BEGINNING, word.length * share);
  for (let end = word.length; end >= shortest; end--) {
    const part = word.slice(0, end);
    if (test(part)) return part;
  }
  return undefined;
}

/** Begins other forms of a word that the index doesn't know, or the word itself if its ending is mistyped. */
const beginningOf = (word: string, vocabulary: Vocabulary) =>
  longestBeginning(word, OF_WORD, (part) => vocabulary.has(part)) ??
  longestBeginning(word, OF_BEGINNING, (part) => vocabulary.hasBeginning(part));

/** Whether a word is a part of a compound that another word begins. */
const isPart = (part: string, compound: string) =>
  part.length >= SHORTEST_PART &&
  compound.includes(part, part.length === SHORTEST_PART ? BEFORE_SHORT : BEFORE_LONG);

function compoundsOf(word: string, vocabulary: Vocabulary): string[] {
  const found = vocabulary.listWith(word).filter((other) => isPart(word, other));
  return found.sort((a, b) => a.length - b.length).slice(0, MAX_COMPOUNDS);
}

/** An index's term for the part of a compound. An s that links it to the next makes another stem in some languages. */
function findPart(part: string, language: string, vocabulary: Vocabulary): string | undefined {
  const { stem, isStopWord } = languageOf(language);
  if (isStopWord(part)) return undefined;
  return [part, part.replace(/s$/, "")].map(stem).find((term) => vocabulary.has(term));
}

/**
 * A compound's parts, from the longest that begins it. What else links them, such as the n in `Sonnenschirm`, looks like
 * an ending, which the stemmer removes. (Koehn and Knight, Empirical methods for compound splitting, 2003.)
 */
function partsOf(
  compound: string,
  language: string,
  vocabulary: Vocabulary,
  failed = new Set<string>(),
): string[] | undefined {
  if (failed.has(compound)) return undefined;
  for (let cut = compound.length - SHORTEST_PART; cut >= SHORTEST_PART; cut--) {
    const first = findPart(compound.slice(0, cut), language, vocabulary);
    if (first === undefined) continue;
    const rest = compound.slice(cut);
    const last = findPart(rest, language, vocabulary);
    const others = last === undefined ? partsOf(rest, language, vocabulary, failed) : [last];
    if (others) return [first, ...others];
  }
  failed.add(compound);
  return undefined;
}

/** The longest word that ends an unknown compound. */
function headOf(compound: string, language: string, vocabulary: Vocabulary): string[] {
  for (let cut = SHORTEST_PART; cut < compound.length - SHORTEST_PART; cut++) {
    const head = findPart(compound.slice(cut), language, vocabulary);
    if (head !== undefined) return [head];
  }
  return [];
}

/** Endings that Porter's stemmer removes. */
const ENDINGS = ["", "e", "s", "ing"];

/** A word that FTS5 stems to a term of the index of no language; those of languages are stemmed before. */
const unstem = (term: string, language: string) =>
  language === NO_LANGUAGE
    ? (ENDINGS.map((ending) => term + ending).find((word) => stem(word) === term) ?? term)
    : term;

/** Longer words are data. */
const LONGEST = 40;

/** Numbers have no other forms, and what is written without spaces, or indexed by pairs of characters, no such words. */
const HAS_NONE =
  /[\d\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const hasRelated = ({ text, word }: Token) => word.length <= LONGEST && !HAS_NONE.test(text);

/** Whether a text's term may stand for a word of a query: it corrects a typing error, or has the word as a part. */
export function isRelated(token: Token, term: string, language: string): boolean {
  if (!hasRelated(token)) return false;
  const { text, word } = token;
  if (word.length >= SHORTEST_MISTYPED && isWithinOneEdit(text, term)) return true;
  return hasCompounds(language) && isPart(text, term);
}

/**
 * FTS5 expressions for what a text may have in place of a query's word: typing errors corrected, other forms of a word
 * that the index doesn't know, compounds, and a compound's parts.
 * @param isKnown whether the index has the word
 */
export function relatedWords(
  token: Token,
  language: string,
  readVocabulary: () => Vocabulary,
  isKnown: boolean,
): string[] {
  if (!hasRelated(token) || (isKnown && !hasCompounds(language))) return [];
  const vocabulary = readVocabulary();
  const { word } = token;
  const term = language === NO_LANGUAGE ? stem(token.text) : token.text;
  const words: string[] = [];
  const beginnings: string[] = [];
  if (!isKnown) {
    if (word.length >= SHORTEST_MISTYPED && term.length >= SHORTEST_BEGINNING)
      words.push(...vocabulary.listNear(term));
    const beginning = beginningOf(term, vocabulary);
    if (beginning) beginnings.push(beginning);
  }
  if (hasCompounds(language)) {
    if (term.length >= SHORTEST_PART) words.push(...compoundsOf(term, vocabulary));
    const parts = partsOf(word, language, vocabulary);
    if (parts) words.push(...parts);
    else if (!isKnown) words.push(...headOf(word, language, vocabulary));
  }
  return [
    ...words.map((one) => wordExpression(unstem(one, language))),
    ...beginnings.map((one) => beginningExpression(unstem(one, language))),
  ];
}
