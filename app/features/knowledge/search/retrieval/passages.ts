import type { ReadChunk } from "./chunks";
import { isNearDuplicate, type Shingles, shinglesOf } from "./near-duplicates";
import type { FoundPassage } from "./search-task";

/** A candidate with its rank's reasons. */
export type RankedChunk = Pick<FoundPassage, "score" | "keyword" | "vector"> & { id: number };

/** A passage of several chunks ends here, in characters: it is to be read, and to be handed to a model. */
const LONGEST = 6000;
/** A neighbour belongs to a passage when it answers nearly as well, by its score; others would only make it longer. */
const NEARLY = 0.5;
/** Candidates are read so many at first for each wanted passage, and then twice as many each time: few are needed. */
const READ_AHEAD = 2;

interface Draft extends FoundPassage {
  /** The chunks it covers, within the document. */
  first: number;
  last: number;
  shingles: Shingles;
}

/** Two texts of one document, the second one beginning later; what it repeats of the first is there once. */
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

/** Candidates with their chunks in order, as far as they are asked for. */
function* readInTurn(
  ranked: readonly RankedChunk[],
  read: (ids: readonly number[]) => ReadChunk[],
  first: number,
): Generator<RankedChunk & { chunk: ReadChunk }> {
  for (let start = 0, size = first; start < ranked.length; start += size, size *= 2) {
    const some = ranked.slice(start, start + size);
    const chunks = new Map(read(some.map(({ id }) => id)).map((chunk) => [chunk.chunkId, chunk]));
    for (const candidate of some) {
      const chunk = chunks.get(candidate.id);
      if (chunk) yield { ...candidate, chunk };
    }
  }
}

/**
 * Passages of candidates, the best first: what says the same as a better one goes, neighbours in a document become one.
 *
 * @param read the chunks of some candidates that may be found, in no order
 */
export function makePassages(
  ranked: readonly RankedChunk[],
  read: (ids: readonly number[]) => ReadChunk[],
  limit: number,
): FoundPassage[] {
  const seen = new Set<string>();
  const drafts: Draft[] = [];
  for (const { id: _id, chunk, ...scores } of readInTurn(ranked, read, READ_AHEAD * limit)) {
    if (seen.has(chunk.hash)) continue;
    seen.add(chunk.hash);
    const { position, hash: _hash, ...passage } = chunk;
    const shingles = shinglesOf(chunk.text);
    const draft: Draft = { ...passage, ...scores, first: position, last: position, shingles };
    const beside = drafts.findIndex((other) => liesBeside(other, draft));
    const neighbour = drafts[beside];
    if (neighbour) drafts[beside] = merge(neighbour, draft);
    else if (!drafts.some((other) => isNearDuplicate(other.shingles, shingles))) drafts.push(draft);
    if (drafts.length === limit) break;
  }
  return drafts.map(({ first: _first, last: _last, shingles: _shingles, ...passage }) => passage);
}
