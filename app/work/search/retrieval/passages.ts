import type { ReadChunk } from "./chunks.queries";
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

/** The headings above both; those of the first, with which the text begins, if there are none. */
function headingsAbove(first: readonly string[], second: readonly string[]): string[] {
  const differing = first.findIndex((heading, level) => heading !== second[level]);
  const shared = differing === -1 ? first : first.slice(0, differing);
  return [...(shared.length > 0 ? shared : first)];
}

/** Merges adjacent chunks; page and scores of the better one are kept. */
function merge(into: Draft, chunk: Draft): Draft {
  const [first, second] = into.start <= chunk.start ? [into, chunk] : [chunk, into];
  const text = second.end <= first.end ? first.text : joinTexts(first, second);
  return {
    ...into,
    headings: headingsAbove(first.headings, second.headings),
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

/** Words per shingle. */
const SHINGLE_WORDS = 3;
/** Minimum resemblance of near-duplicates. */
const MIN_RESEMBLANCE = 0.85;

export type Shingles = Int32Array;

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), of a word's characters. */
function hash(word: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) {
    value = Math.imul(value ^ word.charCodeAt(index), 0x01000193);
  }
  return value;
}

function hashRun(words: Int32Array, from: number): number {
  let value = 0;
  for (let at = from; at < from + SHINGLE_WORDS && at < words.length; at++) {
    value = (Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) + (words[at] as number)) | 0;
  }
  return value;
}

/** Hashes of three-word shingles. Broder, On the resemblance and containment of documents (1997). */
export function shinglesOf(text: string): Shingles {
  const words = Int32Array.from(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [], hash);
  const shingles = new Int32Array(Math.max(1, words.length - SHINGLE_WORDS + 1));
  for (let at = 0; at < shingles.length; at++) shingles[at] = hashRun(words, at);
  shingles.sort();
  let kept = 1;
  for (let at = 1; at < shingles.length; at++) {
    if (shingles[at] !== shingles[at - 1]) shingles[kept++] = shingles[at] as number;
  }
  return shingles.subarray(0, kept);
}

export function isNearDuplicate(a: Shingles, b: Shingles): boolean {
  const [small, large] = a.length <= b.length ? [a, b] : [b, a];
  // Required common shingles: the union is the sum without the intersection.
  const needed = (MIN_RESEMBLANCE * (a.length + b.length)) / (1 + MIN_RESEMBLANCE);
  let missed = 0;
  for (let at = 0, other = 0; at < small.length; at++) {
    const shingle = small[at] as number;
    while (other < large.length && (large[other] as number) < shingle) other += 1;
    if (large[other] === shingle) continue;
    missed += 1;
    // Early exit, since most pairs have nothing in common.
    if (small.length - missed < needed) return false;
  }
  return small.length >= needed;
}
