import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadVectorExtension } from "~/core/sqlite-extensions.server";
import { createVectors, vectorsTable } from "~/work/index/stores/tables";
import { randomFrom } from "../../../../tests/support/rag-corpus";
import { compareWith, nearestByBits } from "./scan-bits";
import { makeReader } from "./statements";

let raw: Database.Database;
const table = vectorsTable(1);
const ROWS = 3000;

beforeEach(() => {
  raw = new Database(":memory:");
  loadVectorExtension(raw);
});
afterEach(() => {
  raw.close();
});

/** Deterministic random bits. */
function bitsOf(seed: number, bytes: number): Buffer {
  let state = seed * 2654435761;
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
      return (state >>> 11) & 255;
    }),
  );
}

function fill(dimensions: number): void {
  raw.exec(createVectors(1, dimensions));
  const insert = raw.prepare(`INSERT INTO ${table} (chunk_id, scope, bits) VALUES (?, ?, vec_bit(?))`);
  raw.transaction(() => {
    for (let id = 1; id <= ROWS; id++) {
      insert.run(BigInt(id + 2 ** 33), id % 10 === 0 ? "named" : "open", bitsOf(id, dimensions / 8));
    }
    // Gaps left by deletions.
    for (let id = 5; id <= ROWS; id += 7) {
      raw.prepare(`DELETE FROM ${table} WHERE chunk_id = ?`).run(BigInt(id + 2 ** 33));
    }
  })();
}

/** sqlite-vec's own nearest distances. */
function distances(query: Buffer, scope: string, k: number): number[] {
  return raw
    .prepare(
      `SELECT distance FROM ${table} WHERE scope = ? AND bits MATCH vec_bit(?) AND k = ? ORDER BY distance`,
    )
    .pluck()
    .all(scope, query, k) as number[];
}

function measure(ids: readonly number[], query: Buffer): number[] {
  const distance = raw
    .prepare(`SELECT vec_distance_hamming(bits, vec_bit(?)) FROM ${table} WHERE chunk_id = ?`)
    .pluck();
  return ids.map((id) => distance.get(query, BigInt(id)) as number).sort((a, b) => a - b);
}

// Fails if a new sqlite-vec version changes its storage layout.
it.each([384, 1536, 104])("finds the same as sqlite-vec in %i dimensions", (dimensions) => {
  fill(dimensions);
  for (const scope of ["open", "named"]) {
    for (const k of [1, 25, 200]) {
      const query = bitsOf(k + 90_000, dimensions / 8);
      const found = nearestByBits(makeReader(raw, true), { table, scope }, query, k);
      expect(measure(found, query)).toEqual(distances(query, scope, k));
    }
  }
});

it("counts only permitted vectors, and all of them if there are too few", () => {
  fill(384);
  const allowed = new Set([1, 2, 3, 5, 10].map((id) => id + 2 ** 33));
  const found = nearestByBits(makeReader(raw, true), { table, scope: "open" }, bitsOf(1, 48), 50, allowed);
  expect(found.sort((a, b) => a - b)).toEqual([1, 2, 3].map((id) => id + 2 ** 33));
});

it("finds nothing in an empty index", () => {
  raw.exec(createVectors(1, 384));
  expect(nearestByBits(makeReader(raw, true), { table, scope: "open" }, bitsOf(1, 48), 5)).toEqual([]);
});

const random = randomFrom(5);
const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256);

function differing(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, at) => sum + (byte ^ (b[at] ?? 0)).toString(2).replaceAll("0", "").length, 0);
}

it.each([48, 13, 192, 16, 1, 384, 48])("counts the bits that differ in vectors of %i bytes", (length) => {
  const query = bytes(length);
  const count = 700;
  const vectors = bytes(length * count);
  const expected = Array.from({ length: count }, (_, at) =>
    differing(query, vectors.subarray(at * length, (at + 1) * length)),
  );
  const compare = compareWith(query);
  expect(Array.from(compare(vectors, count))).toEqual(expected);
  expect(Array.from(compare(vectors, 2))).toEqual(expected.slice(0, 2));
  expect(compare(vectors, 0)).toHaveLength(0);
});

it("counts none and all", () => {
  const query = new Uint8Array(48).fill(255);
  const vectors = Uint8Array.from([...query, ...new Uint8Array(48)]);
  expect(Array.from(compareWith(query)(vectors, 2))).toEqual([0, 384]);
});
