import { expect, it } from "vitest";
import type { ReadChunk } from "./chunks.queries";
import { makePassages } from "./passages";

const WORDS = "the turbine bearing is greased every week by whoever has the early shift".split(" ");

function chunk(id: number): ReadChunk {
  return {
    chunkId: id,
    documentId: `doc_${id}`,
    version: 1,
    title: "Manual",
    category: "Uncategorized",
    type: "text",
    source: "",
    createdAt: 0,
    text: WORDS.map((word) => `${word}${id}`).join(" "),
    headings: [],
    page: null,
    start: 0,
    end: 80,
    position: 0,
    hash: `hash${id}`,
  };
}

/** Passages of a hundred candidates, and the ids read each time. */
function passagesOf(limit: number, mayRead: (id: number) => boolean) {
  const ranked = Array.from({ length: 100 }, (_, index) => ({
    id: index + 1,
    score: 1 - index / 100,
    keyword: null,
    vector: null,
  }));
  const reads: number[] = [];
  const passages = makePassages(
    ranked,
    (ids) => {
      reads.push(ids.length);
      return ids.filter(mayRead).toReversed().map(chunk);
    },
    limit,
  );
  return { found: passages.map(({ chunkId }) => chunkId), reads };
}

it("reads only as many candidates as are likely needed", () => {
  expect(passagesOf(5, () => true)).toEqual({ found: [1, 2, 3, 4, 5], reads: [10] });
});

it("reads growing batches while too few are visible", () => {
  expect(passagesOf(3, (id) => id > 30)).toEqual({ found: [31, 32, 33], reads: [6, 12, 24] });
  expect(passagesOf(3, (id) => id === 99)).toEqual({ found: [99], reads: [6, 12, 24, 48, 10] });
});

it("shows a passage once that several documents contain", () => {
  const ranked = [1, 2, 3].map((id) => ({ id, score: 1 / id, keyword: null, vector: null }));
  const copies = (ids: readonly number[]) =>
    ids.map((id) => ({ ...chunk(id), hash: id === 3 ? "other" : "same" }));
  const passages = makePassages(ranked, copies, 5);
  expect(
    passages.map(({ chunkId }) => chunkId),
    "the best of two copies stays",
  ).toEqual([1, 3]);
});
