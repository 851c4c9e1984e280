import { scoreByLetters } from "~/core/language/letter-groups";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { readTexts } from "./chunks.queries";
import type { KeywordHit } from "./keywords.queries";
import type { Reader, SearchTask } from "./search-task";

/** Hits whose letters are compared. */
const COMPARED = 50;
/** Weight of the letters relative to the words. */
const WEIGHT = 0.5;

/** English has few forms of a word and keeps compounds apart: there the built-in embedder does better. */
export const isPlain = (language: string) => language === NO_LANGUAGE;

/**
 * Ranks the best hits by words and groups of letters together, unless all are English. Letters find what a stemmer
 * misses: other forms of words, parts of compounds, and typing errors.
 */
export function rankByLetters(reader: Reader, task: SearchTask, hits: readonly KeywordHit[]): KeywordHit[] {
  if (hits.every(({ language }) => isPlain(language))) return [...hits];
  const best = hits.slice(0, COMPARED);
  const texts = new Map(
    readTexts(
      reader,
      best.map(({ chunkId }) => chunkId),
    ).map(({ id, headings, text }) => [id, `${(JSON.parse(headings) as string[]).join("\n")}\n${text}`]),
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
