/** Words per shingle. */
const SHINGLE = 3;
/** Minimum resemblance of near-duplicates. */
const SAME = 0.85;

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
  for (let at = from; at < from + SHINGLE && at < words.length; at++) {
    value = (Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) + (words[at] as number)) | 0;
  }
  return value;
}

/** Hashes of three-word shingles. Broder, On the resemblance and containment of documents (1997). */
export function shinglesOf(text: string): Shingles {
  const words = Int32Array.from(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [], hash);
  const shingles = new Int32Array(Math.max(1, words.length - SHINGLE + 1));
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
  const needed = (SAME * (a.length + b.length)) / (1 + SAME);
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
