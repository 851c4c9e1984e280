import { hammingModule } from "./hamming-module";

/** A page of WebAssembly's memory. */
const PAGE_BYTES = 65_536;
/** In bytes. */
const STEP = 16;

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

export type Comparison = (vectors: Uint8Array, count: number) => Uint16Array;

type Compare = (query: number, vector: number, count: number, length: number, distance: number) => void;

let instance: { memory: WebAssembly.Memory; compare: Compare } | undefined;

function instantiate() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(hammingModule));
  return { memory: exports.memory as WebAssembly.Memory, compare: exports.compare as Compare };
}

function compareBytes(query: Uint8Array): Comparison {
  return (vectors, count) => {
    const distances = new Uint16Array(count);
    for (let at = 0; at < count; at++) {
      const from = at * query.length;
      let distance = 0;
      for (let index = 0; index < query.length; index++) {
        distance += ONES[(vectors[from + index] as number) ^ (query[index] as number)] as number;
      }
      distances[at] = distance;
    }
    return distances;
  };
}

/**
 * Compares bit vectors sixteen bytes at a time: five times as fast as JavaScript
 * (docs/decisions/0019-sqlite-vec.md).
 */
export function compareWith(query: Uint8Array): Comparison {
  if (query.length === 0 || query.length % STEP !== 0) return compareBytes(query);
  instance ??= instantiate();
  const { memory, compare } = instance;
  return (vectors, count) => {
    if (count === 0) return new Uint16Array();
    const distances = query.length + count * query.length;
    const missing = distances + count * 2 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(query);
    bytes.set(vectors.subarray(0, count * query.length), query.length);
    compare(0, query.length, count, query.length, distances);
    return new Uint16Array(memory.buffer, distances, count);
  };
}
