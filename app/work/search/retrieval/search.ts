import { NO_LANGUAGE } from "~/core/language/language-codes";
import { fromBlob } from "~/work/index/stores/tables";
import type { VectorHit } from "~/work/index/stores/vector-store";
import { keepPermitted, listInLanguage, readChunks } from "./chunks.queries";
import { type KeywordHits, searchKeywords } from "./keywords.queries";
import { rankByLetters } from "./letter-rank";
import { weightByOverlap } from "./lexical-overlap";
import { makePassages } from "./passages";
import type { Reader, RetrievedPassages, SearchTask } from "./search-task";
import { unrelatedSimilarity } from "./unrelated-similarity";
import { searchVectors } from "./vector-search";
import { readVectors } from "./vectors.queries";

const CANDIDATES = 50;
/** Extra candidates, since near-duplicates are dropped and neighbors joined. */
const SPARE = 4;

/** Weight of the built-in embedder relative to keywords, which are more exact. */
const LEXICAL_WEIGHT = 0.3;

/**
 * Minimum cosine in the built-in embedder: unrelated texts reach this by chance (two standard deviations).
 */
const LEXICAL_NOISE = 0.1;

function vectorWeight(task: SearchTask, keywords: KeywordHits): number {
  if (task.index.space?.kind !== "lexical") return 1;
  return LEXICAL_WEIGHT + (1 - LEXICAL_WEIGHT) * keywords.unknown;
}

function findVectors(reader: Reader, task: SearchTask, keywords: KeywordHits, limit: number): VectorHit[] {
  // A query without letters or digits has a meaningless vector.
  if (task.mode === "keywords" || !/[\p{L}\p{N}]/u.test(task.query)) return [];
  const hits = nearest(reader, task, keywords, limit);
  if (task.index.space?.kind !== "lexical") return hits;
  return hits.filter(({ similarity }) => similarity >= LEXICAL_NOISE);
}

function nearest(reader: Reader, task: SearchTask, keywords: KeywordHits, limit: number): VectorHit[] {
  if (task.hits) return keepPermitted(reader, task, task.hits);
  if (!task.vector || !reader.hasVectors) return [];
  return searchVectors(reader, task, moveToKeywords(reader, task, task.vector, keywords), limit);
}

function moveToKeywords(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  keywords: KeywordHits,
): Float32Array {
  if (task.index.space?.kind !== "lexical") return vector;
  const ids = keywords.hits.map(({ chunkId }) => chunkId);
  return applyFeedback(reader, task, vector, ids);
}

/** The language whose stems the built-in embedder knows; of others it finds only what keywords miss altogether. */
const EMBEDDED = NO_LANGUAGE;

function keepEmbedded(
  reader: Reader,
  { index: { space } }: SearchTask,
  keywords: KeywordHits,
  hits: readonly VectorHit[],
): readonly VectorHit[] {
  if (space?.kind !== "lexical" || keywords.hits.length === 0) return hits;
  const kept = listInLanguage(
    reader,
    hits.map(({ chunkId }) => chunkId),
    EMBEDDED,
  );
  return hits.filter(({ chunkId }) => kept.has(chunkId));
}

function findKeywords(reader: Reader, task: SearchTask, limit: number): KeywordHits {
  const found = task.mode === "vectors" ? undefined : searchKeywords(reader, task, limit);
  if (!found) return { hits: [], unknown: 0 };
  return { ...found, hits: rankByLetters(reader, task, found.hits) };
}

/**
 * The built-in embedder's ranks: its hits in their order have the ranks that keywords gave to its language, and what they
 * found in others keeps its rank. So it moves no text of another language.
 */
function rankEmbedded(keywords: KeywordHits["hits"], vectors: readonly VectorHit[]): Map<number, number> {
  const ranked = keywords.map(({ chunkId, language }, index) => ({ chunkId, language, rank: index + 1 }));
  const places = ranked.filter(({ language }) => language === EMBEDDED).map(({ rank }) => rank);
  const others = ranked.filter(({ language }) => language !== EMBEDDED);
  const next = keywords.length + 1 - places.length;
  return new Map([
    ...others.map(({ chunkId, rank }) => [chunkId, rank] as const),
    ...vectors.map(({ chunkId }, index) => [chunkId, places[index] ?? next + index] as const),
  ]);
}

/** Candidates by rank. BM25 scores depend on hidden documents, so they are never exposed. */
function rank(task: SearchTask, keywords: KeywordHits, vectors: readonly VectorHit[]) {
  const byKeyword = new Map(keywords.hits.map(({ chunkId }, index) => [chunkId, { rank: index + 1 }]));
  const byVector = new Map(
    vectors.map(({ chunkId, similarity }, index) => [chunkId, { rank: index + 1, similarity }]),
  );
  const isLexical = task.index.space?.kind === "lexical" && vectors.length > 0;
  const fused = fuse([
    { ranks: ranksOf(byKeyword), weight: 1 },
    {
      ranks: isLexical ? rankEmbedded(keywords.hits, vectors) : ranksOf(byVector),
      weight: vectorWeight(task, keywords),
    },
  ]);
  return fused.map(({ id, score }) => ({
    id,
    score,
    keyword: byKeyword.get(id) ?? null,
    vector: byVector.get(id) ?? null,
  }));
}

export function search(reader: Reader, task: SearchTask): RetrievedPassages {
  const depth = Math.max(CANDIDATES, task.limit * SPARE);
  const keywords = findKeywords(reader, task, depth);
  if (task.isFeedback && task.vector)
    return { passages: [], remaining: 0, moved: moveToKeywords(reader, task, task.vector, keywords) };
  const vectors = findVectors(reader, task, keywords, depth);
  const ranked = rank(task, keywords, keepEmbedded(reader, task, keywords, vectors).slice(0, depth));
  const read = (ids: readonly number[]) => readChunks(reader, task, ids);
  const byLetters =
    task.mode === "hybrid" && task.index.space?.kind === "lexical" && keywords.hits.length === 0;
  const { space } = task.index;
  const unrelated = space?.kind === "model" ? unrelatedSimilarity(reader, space.id) : 0;
  const passages = makePassages(ranked, read, byLetters ? depth : task.limit);
  return {
    passages: weightByOverlap(task, passages, byLetters, unrelated).slice(0, task.limit),
    remaining: vectors.length,
  };
}

/**
 * Rank constant; lower than the paper's 60, since our lists are shorter. Cormack, Clarke, Büttcher,
 * Reciprocal rank fusion outperforms Condorcet and individual rank learning methods (2009).
 */
const SMOOTHING = 20;

interface RankedList {
  /** By id, from 1. */
  ranks: ReadonlyMap<number, number>;
  weight: number;
}

const ranksOf = (hits: ReadonlyMap<number, { rank: number }>) =>
  new Map([...hits].map(([id, { rank }]) => [id, rank]));

/**
 * Merges lists by rank, since their scores aren't comparable.
 * @returns ids, best first, with their share of the best possible score, 0 to 1
 */
function fuse(lists: readonly RankedList[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  let best = 0;
  for (const { ranks, weight } of lists) {
    if (ranks.size === 0) continue;
    best += weight / (SMOOTHING + 1);
    for (const [id, rank] of ranks) scores.set(id, (scores.get(id) ?? 0) + weight / (SMOOTHING + rank));
  }
  return [...scores]
    .map(([id, score]) => ({ id, score: score / best }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

const FEEDBACK_RESULTS = 5;

/**
 * Moves the query's vector halfway towards the best keyword results (Rocchio, Relevance feedback in
 * information retrieval, 1971; pseudo relevance feedback).
 */
function applyFeedback(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  chunkIds: readonly number[],
): Float32Array {
  if (chunkIds.length === 0) return vector;
  const blobs = readVectors(reader, task, chunkIds.slice(0, FEEDBACK_RESULTS));
  const centre = new Float32Array(vector.length);
  for (const blob of blobs) {
    for (const [index, value] of fromBlob(blob).entries()) centre[index] = (centre[index] ?? 0) + value;
  }
  const length = Math.hypot(...centre);
  return length === 0 ? vector : vector.map((value, index) => value + (centre[index] ?? 0) / length);
}
