import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { randomFrom } from "../../../../tests/support/rag-corpus";
import { makeReader } from "./statements";
import { unrelatedSimilarity } from "./unrelated-similarity";

/** A space of vectors that all share a direction, as those of many models do. @param shared its length */
function spaceOf(shared: number, count: number) {
  const raw = new Database(":memory:");
  raw.exec("CREATE TABLE embeddings (id INTEGER PRIMARY KEY, space_id INTEGER, vector BLOB)");
  const random = randomFrom(7);
  const insert = raw.prepare("INSERT INTO embeddings (space_id, vector) VALUES (?, ?)");
  for (let n = 0; n < count; n++) {
    const own = Float32Array.from({ length: 64 }, (_, at) => (at === 0 ? 0 : random() - 0.5));
    const scale = Math.sqrt(1 - shared * shared) / Math.hypot(...own);
    const vector = own.map((value, at) => (at === 0 ? shared : value * scale));
    // Another space lies between.
    insert.run(1, Buffer.from(vector.buffer));
    insert.run(2, Buffer.from(Float32Array.of(1, 0).buffer));
  }
  return makeReader(raw, true);
}

it.each([
  [0.9, 0.81],
  [0.3, 0.09],
])("is an embedder's own: with %s in common, texts have a cosine of %s", (shared, cosine) => {
  expect(unrelatedSimilarity(spaceOf(shared, 200), 1)).toBeCloseTo(cosine, 1);
});

it("is the usual one where there are too few chunks to tell", () => {
  expect(unrelatedSimilarity(spaceOf(0.9, 3), 1)).toBe(0.2);
  expect(unrelatedSimilarity(spaceOf(0.9, 0), 1)).toBe(0.2);
});
