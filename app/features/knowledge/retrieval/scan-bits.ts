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

/** The distance of every place of a chunk to the query. */
function distancesOf(
  stored: Stored,
  query: Uint8Array,
  allowed: ReadonlySet<number> | undefined,
): Uint16Array {
  const ids = idsOf(stored.rowids);
  const distances = new Uint16Array(ids.length).fill(NOWHERE);
  const inWords = query.length % 4 === 0;
  const words = inWords ? wordsOf(stored.vectors) : undefined;
  const wanted = inWords ? wordsOf(query) : undefined;
  for (let place = 0; place < ids.length; place++) {
    if (!(((stored.validity[place >> 3] as number) >> (place & 7)) & 1)) continue;
    if (allowed && !allowed.has(Number(ids[place]))) continue;
    distances[place] =
      words && wanted
        ? distanceInWords(words, wanted, place * wanted.length)
        : distanceInBytes(stored.vectors, query, place * query.length);
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
  allowed?: ReadonlySet<number>,
): number[] {
  const rows = reader
    .statement(
      `SELECT c.validity, c.rowids, v.vectors FROM ${table}_chunks c
       JOIN ${table}_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.partition00 = ?`,
    )
    .iterate(scope) as Iterable<Stored>;
  const histogram = new Uint32Array(query.length * 8 + 2);
  const kept: { rowids: Uint8Array; distances: Uint16Array }[] = [];
  for (const row of rows) {
    const distances = distancesOf(row, query, allowed);
    for (const distance of distances) {
      if (distance !== NOWHERE) histogram[distance] = (histogram[distance] as number) + 1;
    }
    kept.push({ rowids: row.rowids, distances });
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
    for (const [place, distance] of distances.entries()) {
      if (distance < limit || (distance === limit && ties-- > 0)) found.push(Number(ids[place]));
    }
  }
  return found;
}
