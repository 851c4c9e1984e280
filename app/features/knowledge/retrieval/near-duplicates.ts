/** Words side by side that are compared as one. */
const SHINGLE = 3;
/** Texts that share so much of all they say, say the same. */
const SAME = 0.85;

function hash(words: readonly string[]): number {
  let value = 0x811c9dc5;
  for (const word of words) {
    for (let index = 0; index < word.length; index++) {
      value = Math.imul(value ^ word.charCodeAt(index), 0x01000193);
    }
    value = Math.imul(value ^ 32, 0x01000193);
  }
  return value;
}

/** A text's runs of three words, as numbers. Broder, On the resemblance and containment of documents (1997). */
export function shinglesOf(text: string): ReadonlySet<number> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const shingles = new Set<number>();
  for (let index = 0; index <= Math.max(0, words.length - SHINGLE); index++) {
    shingles.add(hash(words.slice(index, index + SHINGLE)));
  }
  return shingles;
}

/** Whether two texts say the same, give or take a few words. */
export function isNearDuplicate(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  if (small.size < SAME * large.size) return false;
  let shared = 0;
  for (const shingle of small) if (large.has(shingle)) shared += 1;
  return shared / (a.size + b.size - shared) >= SAME;
}
