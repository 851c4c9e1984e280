import { stemmer } from "stemmer";

/** The library takes 0.7 µs for a word, and texts share most of their words. */
const cache = new Map<string, string>();
const MAX_CACHED = 20_000;

/** Porter's stemmer (Program 14, 1980), as in SQLite's FTS5; only words of a to z change. */
export function stem(word: string): string {
  const cached = cache.get(word);
  if (cached !== undefined) return cached;
  if (word.length < 3 || word.length > 64 || !/^[a-z]+$/.test(word)) return word;
  const result = stemmer(word);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(word, result);
  return result;
}

const words = (list: string) => new Set(list.split(" "));

/** English, German, French, Spanish; without accents, as in the index. */
const STOP_WORDS: readonly ReadonlySet<string>[] = [
  words(
    "a about above after again against all also am an and any are aren as at be because been before being below " +
      "between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from " +
      "further get give had hadn has hasn have haven having he her here hers herself him himself his how i if in " +
      "into is isn it its itself just ll let m me more most mustn my myself no nor not now of off on once only or " +
      "other our ours ourselves out over own please re s same shan she should shouldn so some such t tell than that " +
      "the their theirs them themselves then there these they this those through to too under until up ve very was " +
      "wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours " +
      "yourself yourselves",
  ),
  words(
    "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei bin bis bist da damit dann das " +
      "dass dein deine dem den der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein " +
      "eine einem einen einer eines er es euch euer fur gibt habe haben hat hatte hier ich ihm ihn ihnen ihr ihre im " +
      "in ins ist ja jede jeder jedes kann kein keine konnen man mein meine mich mir mit muss nach nicht noch nun " +
      "nur ob oder ohne sehr sein seine sich sie sind so soll uber um und uns unser unter vom von vor wann war waren " +
      "warum was weil welche welchen welcher welches wenn wer werden wie wieder will wir wird wo zu zum zur",
  ),
  words(
    "a ai ait alors au aucun aussi autre aux avec avoir c ce cela ces cet cette ceux chez comme comment d dans de " +
      "des doit donc dont du elle elles en entre est et ete etre eu fait il ils j je l la le les leur leurs lui m " +
      "ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel " +
      "quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute " +
      "toutes tres tu un une vos votre vous y",
  ),
  words(
    "a al algo alguna algunas alguno algunos ante antes aqui asi aunque cada como con cual cuales cuando de del " +
      "desde donde dos el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estar estas " +
      "este esto estos fue ha hace hacia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos " +
      "nosotros o otra otras otro otros para pero poco por porque puede pueden que quien quienes se sea ser si sido " +
      "sin sobre son su sus tambien tan te tiene tienen todo todos tu tus un una unas uno unos y ya yo",
  ),
];

/** Removes stop words of the best-matching language. Returns all terms if none would remain. */
export function withoutStopWords(terms: readonly string[]): string[] {
  let best: ReadonlySet<string> = new Set();
  let max = 0;
  for (const list of STOP_WORDS) {
    const hits = terms.filter((term) => list.has(term)).length;
    if (hits > max) [best, max] = [list, hits];
  }
  const remaining = terms.filter((term) => !best.has(term));
  return remaining.length > 0 ? remaining : [...terms];
}

/** Stems of the thousand most common English words. They were chosen by hand, not from a test collection. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "able accept accord account across act action actual add age ago agree allow almost alone along already " +
    "although always amount another answer anyone anything appear apply area around arrive article ask aspect " +
    "available away back bad base basic become begin behind believe benefit best better big bit body book " +
    "break bring build buy call came care carry case cause certain chance change check choice choose clear " +
    "close collect come common compare complete concern condition consider contain continue control correct " +
    "cost course cover create current cut day deal decide deep define degree deliver depend describe design " +
    "detail determine develop die differ different difficult direct discuss do document done drive early easy " +
    "effect effort either else end enough entire especially establish etc even event ever every everyone " +
    "everything evidence exact example exist expect experience explain express face fact fall far fast feel " +
    "few field figure fill final find fine first five follow force form found four free front full function " +
    "future gain general give given go goal gone good got great group grow half hand happen hard have head " +
    "hear held help hence high hold hope hour however human idea identify important improve include increase " +
    "indeed individual inform information instead interest involve issue item job keep kind knew know " +
    "knowledge known lack large last late later lead learn least leave left less let level life like likely " +
    "limit line list little live local long look lose lot low made main major make man manage many mark " +
    "matter maybe mean measure meet mention method might mind minute miss moment month morning most move much " +
    "must name natural near necessary need never new next none normal note nothing notice number obtain occur " +
    "offer office often old one open operate opportunity order organize original others otherwise overall " +
    "page paper part particular pass past pay people per perhaps period person place plan play point position " +
    "possible practice prepare present previous primary probable problem proceed process produce program " +
    "project proper propose prove provide public purpose put quality question quick quite range rate rather " +
    "reach read ready real really reason receive recent record reduce refer regard relate remain remember " +
    "report represent require research respect rest result return right role rule run said same saw say " +
    "second section see seem seen select send sense separate serious serve service set several shall short " +
    "show side significant similar simple simply since single situation six small social someone something " +
    "sometimes soon sort sound source speak special specific stand standard start state statement still stop " +
    "study subject success sudden suggest support suppose sure system table take task technique ten term test " +
    "thing think thought thousand three thus time today together told tomorrow took top toward true try turn " +
    "two type unit unless upon use usual value various view want way week well went whether whole wide within " +
    "without woman word work world write wrong year yes yet young"
  )
    .split(" ")
    .map(stem),
);

/** Longer words are data and indexed by their first characters. */
const MAX_LENGTH = 40;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words, and Korean, which joins endings to words. */
export const UNSPACED =
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
  /** As it is written, in lower case. */
  word: string;
  /** The parts of an identifier such as `getUserName`, in lower case. */
  parts?: string[];
  /** The last character of an unspaced run, which begins no pair. */
  last?: string;
}

/** How a text is read: as it is written for the built-in embedder, or in one language for keywords. */
export interface TextReading {
  clean(text: string): string;
  /** @param word in lower case */
  reduce(word: string): string;
  /** Words of a run without spaces; undefined for pairs of characters. */
  segment?(run: string): string[] | undefined;
}

const AS_WRITTEN: TextReading = { clean: plain, reduce: (word) => word };

function pushUnspaced(run: string, tokens: Token[], { segment, reduce }: TextReading): void {
  const words = segment?.(run);
  if (words) {
    for (const word of words) tokens.push({ text: reduce(word), word });
    return;
  }
  const pairs = bigrams(reduce(run));
  for (const [index, text] of pairs.entries()) {
    const last = index === pairs.length - 1 ? Array.from(text)[1] : undefined;
    tokens.push(last === undefined ? { text, word: text } : { text, word: text, last });
  }
}

function pushWord(word: string, tokens: Token[], { reduce }: TextReading): void {
  if (word === "") return;
  const lower = word.toLowerCase();
  if (lower.length > MAX_LENGTH) {
    tokens.push({ text: reduce(lower.slice(0, MAX_LENGTH)), word: lower });
    return;
  }
  const token = { text: reduce(lower), word: lower };
  if (lower === word || !CAMEL.test(word)) tokens.push(token);
  else
    tokens.push({
      ...token,
      parts: (word.match(CAMEL_PART) ?? []).map((part) => reduce(part.toLowerCase())),
    });
}

/** Splits a text into lower-case words, and unspaced scripts into overlapping pairs, for index, queries and embeddings. */
export function tokenize(text: string, reading: TextReading = AS_WRITTEN): Token[] {
  const tokens: Token[] = [];
  for (const [word] of reading.clean(text).matchAll(WORD)) {
    if (!MAYBE_UNSPACED.test(word)) {
      pushWord(word, tokens, reading);
      continue;
    }
    let from = 0;
    for (const run of word.matchAll(UNSPACED)) {
      pushWord(word.slice(from, run.index), tokens, reading);
      pushUnspaced(run[0], tokens, reading);
      from = run.index + run[0].length;
    }
    pushWord(word.slice(from), tokens, reading);
  }
  return tokens;
}
