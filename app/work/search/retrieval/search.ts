import { type QueryTerms, queryTerms } from "~/core/language/terms";
import { termsTable } from "~/work/index/stores/tables";
import type { VectorHit } from "~/work/index/stores/vector-store";
import { readChunks } from "./chunks.queries";
import { applyFeedback } from "./feedback";
import { fuse } from "./fuse";
import { type KeywordHits, searchKeywords } from "./keyword-search";
import { weightByOverlap } from "./lexical-overlap";
import { makePassages } from "./passages";
import { keepPermitted } from "./permitted";
import type { Reader } from "./reader";
import type { RetrievedPassages, SearchTask } from "./search-task";
import { searchVectors } from "./vector-search";

/** Minimum candidates per ranking. */
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

function findVectors(
  reader: Reader,
  task: SearchTask,
  terms: QueryTerms | undefined,
  keywords: KeywordHits,
  limit: number,
): VectorHit[] {
  // A query without letters or digits has a meaningless vector.
  if (task.mode === "keywords" || !terms) return [];
  if (task.hits) return keepPermitted(reader, task, task.hits);
  const { vector } = task;
  if (!vector || !reader.hasVectors) return [];
  if (task.index.space?.kind !== "lexical") return searchVectors(reader, task, vector, limit);
  const ids = keywords.hits.map(({ chunkId }) => chunkId);
  const hits = searchVectors(reader, task, applyFeedback(reader, task, vector, ids), limit);
  return hits.filter(({ similarity }) => similarity >= LEXICAL_NOISE);
}

function findKeywords(
  reader: Reader,
  task: SearchTask,
  terms: QueryTerms | undefined,
  limit: number,
): KeywordHits {
  if (task.mode === "vectors" || !terms) return { hits: [], unknown: 0 };
  return searchKeywords(reader, task, terms, limit);
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

interface SearchPlan {
  terms: QueryTerms | undefined;
  depth: number;
}

const planOf = (task: SearchTask): SearchPlan => ({
  terms: queryTerms(task.query),
  depth: Math.max(CANDIDATES, task.limit * SPARE),
});

function join(
  reader: Reader,
  task: SearchTask,
  { terms, depth }: SearchPlan,
  keywords: KeywordHits,
  vectors: readonly VectorHit[],
): RetrievedPassages {
  const ranked = rank(keywords.hits, vectors.slice(0, depth), vectorWeight(task, keywords));
  const quoted = { table: termsTable(task.index.chunkSetId), required: terms?.required ?? [] };
  const read = (ids: readonly number[]) => readChunks(reader, task, ids, quoted);
  const byLetters =
    task.mode === "hybrid" && task.index.space?.kind === "lexical" && keywords.hits.length === 0;
  const passages = makePassages(ranked, read, byLetters ? depth : task.limit);
  return {
    passages: weightByOverlap(task, passages, byLetters).slice(0, task.limit),
    remaining: vectors.length,
  };
}

export function search(reader: Reader, task: SearchTask): RetrievedPassages {
  const plan = planOf(task);
  const keywords = findKeywords(reader, task, plan.terms, plan.depth);
  const vectors = findVectors(reader, task, plan.terms, keywords, plan.depth);
  return join(reader, task, plan, keywords, vectors);
}

/** Starts a vector search in another thread; undefined if unavailable. */
export type StartVectors = (task: SearchTask, limit: number) => Promise<VectorHit[] | undefined> | undefined;

/** `search`, with vectors in parallel if they don't depend on keywords. */
export async function searchInParallel(
  reader: Reader,
  task: SearchTask,
  startVectors: StartVectors,
): Promise<RetrievedPassages> {
  const plan = planOf(task);
  const isIndependent = task.mode === "hybrid" && task.index.space?.kind === "model" && !task.hits;
  const started =
    isIndependent && plan.terms && task.vector && reader.hasVectors
      ? startVectors(task, plan.depth)
      : undefined;
  const keywords = findKeywords(reader, task, plan.terms, plan.depth);
  const vectors = (await started) ?? findVectors(reader, task, plan.terms, keywords, plan.depth);
  return join(reader, task, plan, keywords, vectors);
}
