import type { ReadChunk } from "./chunks";
import { isNearDuplicate, shinglesOf } from "./near-duplicates";
import type { FoundPassage } from "./search-task";

/** A candidate with its rank's reasons. */
export type RankedChunk = Pick<FoundPassage, "score" | "keyword" | "vector"> & { id: number };

/** A passage of several chunks ends here, in characters: it is to be read, and to be handed to a model. */
const LONGEST = 6000;
/** A neighbour belongs to a passage when it answers nearly as well, by its score; others would only make it longer. */
const NEARLY = 0.5;

interface Draft extends FoundPassage {
  /** The chunks it covers, within the document. */
  first: number;
  last: number;
  shingles: ReadonlySet<number>;
}

/** Two texts of one document, the second one beginning later; what it repeats of the first stands there once. */
function joinTexts(first: FoundPassage, second: FoundPassage): string {
  const shared = first.end - second.start;
  if (shared > 0 && first.text.endsWith(second.text.slice(0, shared)))
    return first.text + second.text.slice(shared);
  // Between two chunks lies white space alone.
  return `${first.text}\n\n${second.text}`;
}

/** Puts a chunk to a passage beside which it lies. The better one's headings, page and scores stand. */
function merge(into: Draft, chunk: Draft): Draft {
  const [first, second] = into.start <= chunk.start ? [into, chunk] : [chunk, into];
  const text = second.end <= first.end ? first.text : joinTexts(first, second);
  return {
    ...into,
    text,
    start: first.start,
    end: Math.max(first.end, second.end),
    first: first.first,
    last: Math.max(first.last, second.last),
    shingles: shinglesOf(text),
  };
}

const liesBeside = (a: Draft, b: Draft) =>
  a.documentId === b.documentId &&
  b.first <= a.last + 1 &&
  a.first <= b.last + 1 &&
  Math.min(a.score, b.score) >= NEARLY * Math.max(a.score, b.score) &&
  Math.max(a.end, b.end) - Math.min(a.start, b.start) <= LONGEST;

/**
 * Passages of candidates, the best first: what says the same as a better one goes, neighbours in a document become one.
 */
export function makePassages(
  ranked: readonly RankedChunk[],
  chunks: readonly ReadChunk[],
  limit: number,
): FoundPassage[] {
  const read = new Map(chunks.map((chunk) => [chunk.chunkId, chunk]));
  const seen = new Set<string>();
  const drafts: Draft[] = [];
  for (const { id, ...scores } of ranked) {
    if (drafts.length === limit) break;
    const chunk = read.get(id);
    if (!chunk || seen.has(chunk.hash)) continue;
    seen.add(chunk.hash);
    const { position, hash: _hash, ...passage } = chunk;
    const shingles = shinglesOf(chunk.text);
    const draft: Draft = { ...passage, ...scores, first: position, last: position, shingles };
    const beside = drafts.findIndex((other) => liesBeside(other, draft));
    const neighbour = drafts[beside];
    if (neighbour) drafts[beside] = merge(neighbour, draft);
    else if (!drafts.some((other) => isNearDuplicate(other.shingles, shingles))) drafts.push(draft);
  }
  return drafts.map(({ first: _first, last: _last, shingles: _shingles, ...passage }) => passage);
}
