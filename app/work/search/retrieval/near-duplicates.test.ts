import { expect, it } from "vitest";
import { isNearDuplicate, shinglesOf } from "./near-duplicates";

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
