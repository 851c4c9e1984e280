import type { Reader } from "./reader";

/** What a vec0 table keeps of many vectors at once (sqlite-vec 0.1.9, its tables `_chunks` and `_vector_chunks00`). */
interface Stored {
  /** A bit for each place that is taken. */
  validity: Uint8Array;
  /** The keys, int64. */
  rowids: Uint8Array;
  /** The bits, one row behind the other. */
  vectors: Uint8Array;
}

/** A place that isn't taken, or isn't allowed. */
const NOWHERE = 0xffff;

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** On a boundary of its numbers, as typed arrays need it. */
const aligned = (bytes: Uint8Array, size: number) =>
  bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
const wordsOf = (bytes: Uint8Array) => {
  const { buffer, byteOffset, byteLength } = aligned(bytes, 4);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
};
const idsOf = (bytes: Uint8Array) => {
  const { buffer, byteOffset, byteLength } = aligned(bytes, 8);
  return new BigInt64Array(buffer, byteOffset, byteLength / 8);
};

/** Counts differing bits word by word; Warren, Hacker's Delight, 5-1. */
function distanceInWords(words: Uint32Array, query: Uint32Array, from: number): number {
  let distance = 0;
  for (let index = 0; index < query.length; index++) {
    let bits = (words[from + index] as number) ^ (query[index] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
    distance += Math.imul(bits, 0x01010101) >>> 24;
  }
  return distance;
}

function distanceInBytes(bytes: Uint8Array, query: Uint8Array, from: number): number {
  let distance = 0;
  for (let index = 0; index < query.length; index++) {
    distance += ONES[(bytes[from + index] as number) ^ (query[index] as number)] as number;
  }
  return distance;
}

type Allowed = ReadonlySet<number> | undefined;

/** Compares a query with what a row holds, place by place. */
function makeComparison(query: Uint8Array): (stored: Stored, place: number) => number {
  if (query.length % 4 !== 0)
    return ({ vectors }, place) => distanceInBytes(vectors, query, place * query.length);
  const wanted = wordsOf(query);
  let row: Stored | undefined;
  let words = wanted;
  return (stored, place) => {
    if (row !== stored) [row, words] = [stored, wordsOf(stored.vectors)];
    return distanceInWords(words, wanted, place * wanted.length);
  };
}

/** The distance of every place of a row to the query, counted in the histogram. */
function distancesOf(
  stored: Stored,
  compare: (stored: Stored, place: number) => number,
  allowed: Allowed,
  histogram: Uint32Array,
): Uint16Array {
  const { validity, rowids } = stored;
  const ids = allowed && idsOf(rowids);
  const distances = new Uint16Array(rowids.length / 8);
  for (let place = 0; place < distances.length; place++) {
    const taken = ((validity[place >> 3] as number) >> (place & 7)) & 1;
    if (!taken || (allowed && !allowed.has(Number(ids?.[place])))) {
      distances[place] = NOWHERE;
      continue;
    }
    const distance = compare(stored, place);
    distances[place] = distance;
    (histogram[distance] as number) += 1;
  }
  return distances;
}

/**
 * The chunks whose sign bits are nearest to the query's, in no order: `count` of them where there are so many.
 *
 * It reads the vec0 table's own storage instead of asking sqlite-vec for its nearest neighbours: that takes longer with
 * each neighbour wanted (docs/decisions/0019-sqlite-vec.md), a count by distance doesn't.
 *
 * @param allowed the only chunks that count; all when left out
 */
export function nearestByBits(
  reader: Reader,
  { table, scope }: { table: string; scope: string },
  query: Uint8Array,
  count: number,
  allowed?: Allowed,
): number[] {
  const rows = reader
    .statement(
      `SELECT c.validity, c.rowids, v.vectors FROM ${table}_chunks c
       JOIN ${table}_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.partition00 = ?`,
    )
    .iterate(scope) as Iterable<Stored>;
  const histogram = new Uint32Array(query.length * 8 + 1);
  const compare = makeComparison(query);
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
  // Of those just as far as the last one there may be more than are left to take.
  let ties = count - below;
  const found: number[] = [];
  for (const { rowids, distances } of kept) {
    const ids = idsOf(rowids);
    for (let place = 0; place < distances.length; place++) {
      const distance = distances[place] as number;
      if (distance < limit || (distance === limit && ties-- > 0)) found.push(Number(ids[place]));
    }
  }
  return found;
}
