import { expect, it } from "vitest";
import type { ReadChunk } from "./chunks.queries";
import { isNearDuplicate, makePassages, shinglesOf } from "./passages";

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
    language: "",
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

it.each([
  [["Manual", "7. Handovers"], ["Manual", "8. Pagers"], ["Manual"]],
  [["7. Handovers"], ["8. Pagers"], ["7. Handovers"]],
  [
    ["Manual", "7. Handovers"],
    ["Manual", "7. Handovers", "At night"],
    ["Manual", "7. Handovers"],
  ],
])(
  "names a passage of two chunks by what stands above both, else by its beginning: %j, %j",
  (one, two, joined) => {
    const ranked = [2, 1].map((id) => ({ id, score: id, keyword: null, vector: null }));
    const read = (ids: readonly number[]) =>
      ids.map((id) => ({
        ...chunk(id),
        documentId: "doc_1",
        headings: id === 1 ? one : two,
        position: id,
        start: id * 100,
        end: id * 100 + 80,
      }));
    const passages = makePassages(ranked, read, 5);
    expect(passages.map(({ headings }) => headings)).toEqual([joined]);
  },
);

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(" ");
const same = (a: string, b: string) => isNearDuplicate(shinglesOf(a), shinglesOf(b));

it("counts each run of three words once, ignoring punctuation", () => {
  expect(shinglesOf("One, two -- THREE").length).toBe(1);
  expect(shinglesOf("one two three")).toEqual(shinglesOf("One, two -- THREE"));
  expect(shinglesOf("one two three one two three").length).toBe(3);
  expect(shinglesOf("three two one")).not.toEqual(shinglesOf("one two three"));
});

it("treats 85% shared runs as duplicates, in either order", () => {
  // 98 shingles each; a shift of n words leaves 98 - n in common, of 98 + n in all.
  const first = numbered(0, 100);
  for (const [shift, alike] of [
    [0, true],
    [7, true],
    [8, false],
    [50, false],
    [100, false],
  ] as const) {
    expect(same(first, numbered(shift, 100 + shift))).toBe(alike);
    expect(same(numbered(shift, 100 + shift), first)).toBe(alike);
  }
});

it("doesn't treat part of a much longer text as a duplicate", () => {
  expect(same(numbered(0, 40), numbered(0, 80))).toBe(false);
  expect(same(numbered(0, 90), numbered(0, 100))).toBe(true);
});

it("compares texts of a word or two, and none at all", () => {
  expect(same("Refund", "refund!")).toBe(true);
  expect(same("refund", "return")).toBe(false);
  expect(same("", "…")).toBe(true);
});
