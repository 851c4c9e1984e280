import { expect, it } from "vitest";
import { randomFrom } from "../../../../tests/support/rag-corpus";
import { compareWith } from "./hamming";

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
