import { fromBlob } from "~/work/index/stores/tables";
import type { Reader } from "./search-task";
import { listSampleVectors } from "./vectors.queries";

/** Vectors that are compared, each with each: about 500 pairs. */
const SAMPLE = 32;
/** Searches after which it is measured again, since documents come and go. */
const RENEWED_AFTER = 500;
/** Usual of small embedding models, for an index of few chunks. */
const USUAL = 0.2;
const MIN_SAMPLE = 8;

const measured = new WeakMap<Reader, Map<number, { similarity: number; searches: number }>>();

function measure(vectors: readonly Float32Array[]): number {
  let sum = 0;
  let pairs = 0;
  for (const [at, one] of vectors.entries())
    for (const other of vectors.slice(at + 1)) {
      for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
      pairs += 1;
    }
  return sum / pairs;
}

/**
 * The mean cosine of chunks that have nothing to do with each other, by which each embedder's figures are read: some
 * give 0.1, some 0.7. It is a mean over the whole index, which says nothing about any document.
 */
export function unrelatedSimilarity(reader: Reader, spaceId: number): number {
  const known = measured.get(reader) ?? new Map<number, { similarity: number; searches: number }>();
  measured.set(reader, known);
  const last = known.get(spaceId);
  if (last && last.searches < RENEWED_AFTER) {
    last.searches += 1;
    return last.similarity;
  }
  const vectors = listSampleVectors(reader, spaceId, SAMPLE).map(fromBlob);
  const similarity = vectors.length < MIN_SAMPLE ? USUAL : Math.min(0.9, Math.max(0, measure(vectors)));
  // A growing index is soon measured again.
  known.set(spaceId, { similarity, searches: vectors.length < SAMPLE ? RENEWED_AFTER : 0 });
  return similarity;
}
