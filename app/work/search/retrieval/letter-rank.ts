import { NO_LANGUAGE } from "~/core/language/language-codes";
import { scoreByLetters } from "~/core/language/letter-groups";
import { readTexts } from "./chunks.queries";
import type { KeywordHit } from "./keywords.queries";
import type { Reader, SearchTask } from "./search-task";

/** Hits whose letters are compared. */
const COMPARED = 50;
/** Weight of the letters relative to the words. */
const WEIGHT = 0.5;

/**
 * Ranks the best hits by words and groups of letters together, unless all are English, which has few forms of a word
 * and keeps compounds apart. Letters find what a stemmer
 * misses: other forms of words, parts of compounds, and typing errors.
 */
export function rankByLetters(reader: Reader, task: SearchTask, hits: readonly KeywordHit[]): KeywordHit[] {
  if (hits.every(({ language }) => language === NO_LANGUAGE)) return [...hits];
  const best = hits.slice(0, COMPARED);
  const texts = readTexts(
    reader,
    best.map(({ chunkId }) => chunkId),
  );
  const letters = scoreByLetters(
    task.query,
    best.map(({ chunkId }) => texts.get(chunkId) ?? ""),
  );
  const most = Math.max(...letters, Number.EPSILON);
  const first = Math.max(best[0]?.share ?? 0, Number.EPSILON);
  const ranked = best
    .map((hit, at) => ({ hit, score: hit.share / first + (WEIGHT * (letters[at] ?? 0)) / most }))
    .sort((a, b) => b.score - a.score)
    .map(({ hit }) => hit);
  return [...ranked, ...hits.slice(COMPARED)];
}
