import { clip } from "../well-formed";

/** Question words and fillers: English, German, French, Spanish. */
const COMMON = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from get give had has have he her
  his how i if in into is it its just like many may me much my no not of on one or our out please she should show so some
  such tell than that the their them then there these they this those to up us was we were what when where which who
  whom whose why will with would you your
  aber als am an auf aus bei bin das dass dem den der des die du ein eine einem einen einer er es für hat ich ihr im in
  ist kann mit nach nicht oder sich sie sind um und uns von vor wann war warum was welche welcher wer wie wir wird wo zu
  zum zur
  au aux avec ce ces cette comment dans de des du elle en est et il je la le les leur mais nous où par pas pour pourquoi
  quand que quel quelle quels qui sa se ses son sont sur un une vous
  al como con cual cuando de del donde el ella en es esta este la las lo los más para pero por que qué se si sin su sus
  un una y`.split(/\s+/),
);

/** In scripts without spaces each character is a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

export function wordsOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(WORD) ?? [];
}

/** A rough stem for all four languages, used on both sides of a comparison. */
function stem(word: string): string {
  const rest = word.replace(/(?:ies|ing|ed|es|s|en|e|y)$/, "");
  return rest.length >= 3 ? rest : word;
}

/** A question's stems without fillers; all of them if it has nothing else. */
export function keywordsOf(question: string): Set<string> {
  const words = wordsOf(question);
  const own = words.filter((word) => !COMMON.has(word));
  return new Set((own.length > 0 ? own : words).map(stem));
}

export function countKeywords(text: string, keywords: ReadonlySet<string>): number {
  return new Set(
    wordsOf(text)
      .map(stem)
      .filter((word) => keywords.has(word)),
  ).size;
}

interface Sentence {
  start: number;
  end: number;
  matches: number;
}

function sentencesOf(text: string, keywords: ReadonlySet<string>): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const gap of [...text.matchAll(/(?<=[.!?]["')\]]?)\s+|(?<!\s)\s*\n\s*|(?<=[。！？])/gu), undefined]) {
    const end = gap?.index ?? text.length;
    const matches = countKeywords(text.slice(start, end), keywords);
    if (text.slice(start, end).trim()) sentences.push({ start, end, matches });
    start = end + (gap?.[0].length ?? 0);
  }
  return sentences;
}

function cutSentence(text: string, { start, end }: Sentence, keywords: ReadonlySet<string>, limit: number) {
  const sentence = text.slice(start, end);
  const hit = [...sentence.matchAll(/[\p{L}\p{N}]+/gu)].find((word) => countKeywords(word[0], keywords) > 0);
  const from = Math.max(0, Math.min((hit?.index ?? 0) - limit / 4, sentence.length - limit));
  const piece = sentence.slice(Math.floor(from), Math.floor(from) + limit);
  const whole = from > 0 ? piece.replace(/^\S*\s+/, "") : piece;
  return whole.replace(/\s+\S*$/, "") || piece;
}

/** The place of the sentence that matches a question best among others; the first of equals. */
const placeOfBest = (sentences: readonly Sentence[]): number =>
  sentences.reduce((best, one, at) => (one.matches > (sentences[best]?.matches ?? 0) ? at : best), 0);

/** Where the sentences start that match a question best, in characters; none if no sentence matches. */
export function findBestSentences(text: string, question: string): number[] {
  const sentences = sentencesOf(text, keywordsOf(question));
  const most = sentences[placeOfBest(sentences)]?.matches ?? 0;
  return sentences.flatMap(({ start, matches }) => (most > 0 && matches === most ? start : []));
}

/** The sentence that matches a question best, with neighbors that fit. @param limit in characters, without ellipses */
export function bestSentences(text: string, question: string, limit: number): string {
  const clean = text.trim();
  if (clean.length <= limit) return clean;
  const keywords = keywordsOf(question);
  const sentences = sentencesOf(clean, keywords);
  const best = placeOfBest(sentences);
  const first = sentences[best];
  if (!first) return clip(clean, limit);
  if (first.end - first.start > limit) return `… ${cutSentence(clean, first, keywords, limit)} …`;
  let { start, end } = first;
  for (const next of sentences.slice(best + 1)) {
    if (next.end - start > limit) break;
    end = next.end;
  }
  for (const before of sentences.slice(0, best).reverse()) {
    if (end - before.start > limit) break;
    start = before.start;
  }
  return `${start > 0 ? "… " : ""}${clean.slice(start, end)}${end < clean.length ? " …" : ""}`;
}
