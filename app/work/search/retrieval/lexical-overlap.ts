import { analyzeText, contentWords } from "~/core/language/analysis";
import { isRelated } from "~/core/language/related-words";
import type { Token } from "~/core/language/terms";
import type { RetrievedPassage, SearchTask } from "./search-task";

const MAX_WORDS = 32;
/** Minimum share of its score that a passage keeps: it may match words we don't recognize. */
const MIN_SCORE_SHARE = 0.1;
/** Length of letter groups, as in the built-in embedder. */
const LETTERS = 4;
/** Words are similar if they share two groups and half of the shorter word's. */
const SHARED = 2;
const SHARED_PART = 0.5;
/** A related word counts half, as in the ranking. */
const RELATED = 0.5;

interface QueryWord extends Token {
  groups: readonly string[];
}

function groupsOf(root: string): string[] {
  const framed = `^${root}$`;
  const count = Math.max(0, framed.length - LETTERS + 1);
  return [...new Set(Array.from({ length: count }, (_, at) => framed.slice(at, at + LETTERS)))];
}

/** A text of no known language is read as English. */
const readAs = (language: string) => language || "en";

function queryWords(query: string, language: string): QueryWord[] {
  const tokens = new Map(analyzeText(query, readAs(language)).map((token) => [token.text, token]));
  return contentWords([...tokens.values()], readAs(language))
    .slice(0, MAX_WORDS)
    .map((token) => ({ ...token, groups: groupsOf(token.text) }));
}

function wordsOf({ title, headings, text, language }: RetrievedPassage): ReadonlySet<string> {
  const words = new Set<string>();
  for (const token of analyzeText(`${title}\n${headings.join("\n")}\n${text}`, readAs(language))) {
    words.add(token.text);
    for (const part of token.parts ?? []) words.add(part);
    if (token.last) words.add(token.last);
  }
  return words;
}

function likeness(query: readonly QueryWord[], words: ReadonlySet<string>): number[] {
  const wordsByGroup = new Map<string, number[]>();
  for (const [index, { groups }] of query.entries())
    for (const group of groups) wordsByGroup.set(group, [...(wordsByGroup.get(group) ?? []), index]);
  const best = query.map(() => 0);
  for (const word of words) {
    const groups = groupsOf(word);
    const shared = new Map<number, number>();
    for (const group of groups)
      for (const index of wordsByGroup.get(group) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1);
    for (const [index, count] of shared) {
      const own = query[index]?.groups.length ?? 0;
      if (count < SHARED || count < SHARED_PART * Math.min(own, groups.length)) continue;
      // Dice's coefficient measures the overlap.
      best[index] = Math.max(best[index] ?? 0, (2 * count) / (own + groups.length));
    }
  }
  return best;
}

function coverage(query: readonly QueryWord[], passage: RetrievedPassage, byLetters: boolean): number {
  if (query.length === 0) return 0;
  const words = wordsOf(passage);
  const alike = byLetters ? likeness(query, words) : [];
  const shares = query.map((token, index) => {
    if (words.has(token.text) || token.parts?.every((part) => words.has(part))) return 1;
    if (byLetters) return alike[index] ?? 0;
    return [...words].some((word) => isRelated(token, word, passage.language)) ? RELATED : 0;
  });
  return shares.reduce((sum, share) => sum + share, 0) / query.length;
}

/**
 * Passages with scores for how well they answer. Based on the passages' own text, so that hidden documents
 * have no influence. Keeps the order.
 * @param unrelated cosine of texts that have nothing to do with each other, for a model's vectors
 * @param byLetters for results of the built-in embedder only: drops passages without similar words
 */
export function weightByOverlap(
  task: SearchTask,
  passages: readonly RetrievedPassage[],
  byLetters: boolean,
  unrelated = 0,
): RetrievedPassage[] {
  const queries = new Map<string, QueryWord[]>();
  const queryIn = (language: string) => {
    const query = queries.get(language) ?? queryWords(task.query, language);
    queries.set(language, query);
    return query;
  };
  let above = 1;
  return passages.flatMap((passage) => {
    const coveredShare = coverage(queryIn(passage.language), passage, byLetters);
    if (byLetters && coveredShare === 0) return [];
    const similarity = task.index.space?.kind === "model" ? (passage.vector?.similarity ?? 0) : 0;
    const meant = (similarity - unrelated) / (1 - unrelated);
    const overlap = Math.max(coveredShare, Math.min(1, meant));
    above = Math.min(above, passage.score * (MIN_SCORE_SHARE + (1 - MIN_SCORE_SHARE) * overlap));
    return [{ ...passage, score: above }];
  });
}
