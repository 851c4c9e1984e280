import { fromBlob } from "~/work/index/stores/sign-bits";
import type { Reader } from "./reader";
import type { SearchTask } from "./search-task";
import { readVectors } from "./vectors.queries";

/** Number of top keyword results used as feedback. */
const FEEDBACK_RESULTS = 5;

/**
 * Moves the query's vector halfway towards the best keyword results (Rocchio, Relevance feedback in
 * information retrieval, 1971; pseudo relevance feedback).
 */
export function applyFeedback(
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
