import { fromBlob } from "~/work/index/stores/tables";
import type { VectorHit } from "~/work/index/stores/vector-store";
import { keepPermitted, readChunks, readTexts } from "./chunks.queries";
import { type KeywordHits, searchKeywords } from "./keywords.queries";
import { isPlain, rankByLetters } from "./letter-rank";
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
  if (task.hits) return keepPermitted(reader, task, task.hits);
  const { vector } = task;
  if (!vector || !reader.hasVectors) return [];
  if (task.index.space?.kind !== "lexical") return searchVectors(reader, task, vector, limit);
  const ids = keywords.hits.map(({ chunkId }) => chunkId);
  const hits = searchVectors(reader, task, applyFeedback(reader, task, vector, ids), limit);
  return keepPlain(
    reader,
    keywords,
    hits.filter(({ similarity }) => similarity >= LEXICAL_NOISE),
  );
}

/** The built-in embedder knows English stems only; of other languages it finds what keywords miss altogether. */
function keepPlain(reader: Reader, keywords: KeywordHits, hits: VectorHit[]): VectorHit[] {
  if (keywords.hits.length === 0) return hits;
  const languages = new Map(
    readTexts(
      reader,
      hits.map(({ chunkId }) => chunkId),
    ).map(({ id, language }) => [id, language]),
  );
  return hits.filter(({ chunkId }) => isPlain(languages.get(chunkId) ?? ""));
}

function findKeywords(reader: Reader, task: SearchTask, limit: number): KeywordHits {
  const found = task.mode === "vectors" ? undefined : searchKeywords(reader, task, limit);
  if (!found) return { hits: [], unknown: 0 };
  return { ...found, hits: rankByLetters(reader, task, found.hits) };
}

/** Candidates by rank. BM25 scores depend on hidden documents, so they are never exposed. */
function rank(keywords: KeywordHits["hits"], vectors: readonly VectorHit[], weight: number) {
  const byKeyword = new Map(keywords.map(({ chunkId }, index) => [chunkId, { rank: index + 1 }]));
  const byVector = new Map(
    vectors.map(({ chunkId, similarity }, index) => [chunkId, { rank: index + 1, similarity }]),
  );
  const fused = fuse([
    { ids: [...byKeyword.keys()], weight: 1 },
    { ids: [...byVector.keys()], weight },
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
  const vectors = findVectors(reader, task, keywords, depth);
  const ranked = rank(keywords.hits, vectors.slice(0, depth), vectorWeight(task, keywords));
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
  ids: readonly number[];
  weight: number;
}

/**
 * Merges lists by rank, since their scores aren't comparable.
 * @returns ids, best first, with their share of the best possible score, 0 to 1
 */
function fuse(lists: readonly RankedList[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  let best = 0;
  for (const { ids, weight } of lists) {
    if (ids.length === 0) continue;
    best += weight / (SMOOTHING + 1);
    for (const [index, id] of ids.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (SMOOTHING + index + 1));
    }
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
