import type { Reader } from "./search-task";
import { readBits, type StoredBits } from "./vectors.queries";

/** A free or filtered slot. */
const NOWHERE = 0xffff;

function idsOf(bytes: Uint8Array): BigInt64Array {
  // Typed arrays require alignment.
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  return new BigInt64Array(buffer, byteOffset, byteLength / 8);
}

type Allowed = ReadonlySet<number> | undefined;

function distancesOf(
  { validity, rowids, vectors }: StoredBits,
  compare: Comparison,
  allowed: Allowed,
  histogram: Uint32Array,
): Uint16Array {
  const ids = allowed && idsOf(rowids);
  const distances = compare(vectors, rowids.length / 8).slice();
  for (let index = 0; index < distances.length; index++) {
    const taken = ((validity[index >> 3] as number) >> (index & 7)) & 1;
    if (!taken || (allowed && !allowed.has(Number(ids?.[index])))) distances[index] = NOWHERE;
    else (histogram[distances[index] as number] as number) += 1;
  }
  return distances;
}

/**
 * The `count` chunks with the nearest sign bits, unordered. Reads the vec0 table's storage directly, since
 * sqlite-vec slows down with each neighbor requested (docs/decisions/0019-sqlite-vec.md).
 * @param allowed restricts the chunks
 */
export function nearestByBits(
  reader: Reader,
  { table, scope }: { table: string; scope: string },
  query: Uint8Array,
  count: number,
  allowed?: Allowed,
): number[] {
  const rows = readBits(reader, table, scope);
  const histogram = new Uint32Array(query.length * 8 + 1);
  const compare = compareWith(query);
  const kept: { rowids: Uint8Array; distances: Uint16Array }[] = [];
  for (const row of rows) {
    kept.push({ rowids: row.rowids, distances: distancesOf(row, compare, allowed, histogram) });
  }
  let limit = 0;
  let below = 0;
  while (limit < histogram.length && below + (histogram[limit] as number) < count) {
    below += histogram[limit] as number;
    limit += 1;
  }
  // More candidates may tie at the last distance.
  let ties = count - below;
  const hits: number[] = [];
  for (const { rowids, distances } of kept) {
    const ids = idsOf(rowids);
    for (let index = 0; index < distances.length; index++) {
      const distance = distances[index] as number;
      if (distance < limit || (distance === limit && ties-- > 0)) hits.push(Number(ids[index]));
    }
  }
  return hits;
}

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
