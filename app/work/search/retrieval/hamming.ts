export type Comparison = (vectors: Uint8Array, count: number) => Uint16Array;

/** Bits set in 32: https://graphics.stanford.edu/~seander/bithacks.html#CountBitsSetParallel */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Vectors as words of 32 bits, the last one filled up with zeros. */
function wordsOf(vectors: Uint8Array, length: number, count: number): Int32Array {
  const isWhole = length % 4 === 0 && vectors.byteOffset % 4 === 0;
  if (isWhole) return new Int32Array(vectors.buffer, vectors.byteOffset, (count * length) >> 2);
  const padded = Math.ceil(length / 4) * 4;
  const copy = new Uint8Array(count * padded);
  for (let at = 0; at < count; at++) copy.set(vectors.subarray(at * length, (at + 1) * length), at * padded);
  return new Int32Array(copy.buffer);
}

/** Compares bit vectors with a query: how many bits differ, by vector. */
export function compareWith(query: Uint8Array): Comparison {
  const own = wordsOf(query, query.length, 1);
  return (vectors, count) => {
    const all = wordsOf(vectors, query.length, count);
    const distances = new Uint16Array(count);
    let position = 0;
    for (let at = 0; at < count; at++) {
      let distance = 0;
      for (let index = 0; index < own.length; index++)
        distance += onesIn((own[index] as number) ^ (all[position++] as number));
      distances[at] = distance;
    }
    return distances;
  };
}
