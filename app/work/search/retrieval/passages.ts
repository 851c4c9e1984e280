import type { ReadChunk } from "./chunks.queries";
import { isNearDuplicate, type Shingles, shinglesOf } from "./near-duplicates";
import type { RetrievedPassage } from "./search-task";

export type RankedChunk = Pick<RetrievedPassage, "score" | "keyword" | "vector"> & { id: number };

/** Maximum length of a merged passage, in characters. */
const MAX_LENGTH = 6000;
/** Minimum relative score of a neighbor to be merged. */
const NEARLY = 0.5;
/** Candidates read per requested passage at first, doubled each time. */
const READ_AHEAD = 2;

interface Draft extends RetrievedPassage {
  first: number;
  last: number;
  shingles: Shingles;
}

function joinTexts(first: RetrievedPassage, second: RetrievedPassage): string {
  const shared = first.end - second.start;
  if (shared > 0 && first.text.endsWith(second.text.slice(0, shared)))
    return first.text + second.text.slice(shared);
  return `${first.text}\n\n${second.text}`;
}

/** Merges adjacent chunks; headings, page and scores of the better one are kept. */
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
  Math.max(a.end, b.end) - Math.min(a.start, b.start) <= MAX_LENGTH;

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
 * Builds passages, best first: drops near-duplicates and joins neighbors.
 * @param read the chunks of some candidates
 */
export function makePassages(
  ranked: readonly RankedChunk[],
  read: (ids: readonly number[]) => ReadChunk[],
  limit: number,
): RetrievedPassage[] {
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
