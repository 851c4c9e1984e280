import { describe, expect, it } from "vitest";
import { type Change, findChanges } from "./differences-task";

const shorten = (changes: readonly Change[]) =>
  changes.map(({ in: where, words }) => ({ both: words, base: `[-${words}]`, text: `[+${words}]` })[where]);
const of = (changes: readonly Change[], ...places: Change["in"][]) =>
  changes
    .filter((change) => places.includes(change.in))
    .map(({ words }) => words)
    .join("");

describe("the changes from a base to a text", () => {
  it.each([
    [
      "The capital of France is Paris. It lies on the Seine.",
      "The capital of France is Paris. It lies on the river Seine, in the north.",
      "The capital of France is Paris. It lies on the[- Seine][+ river Seine, in the north].",
    ],
    // A word in common between two changes goes with them.
    [
      "Boats call at the harbour daily",
      "Ships call at noon daily",
      "[-Boats call at the harbour][+Ships call at noon] daily",
    ],
    // Words of languages without spaces.
    [
      "東京は日本の首都です。",
      "東京は日本の首都であり、大きい。",
      "東京は日本の首都[-です][+であり、大きい]。",
    ],
    ["one two\n\nthree", "one two\nthree", "one two\n[-\n]three"],
    // Lines are replaced one by one.
    [
      "- at noon.\n\nSail then",
      "- at half tide.\n\nWait for it",
      "- at[- noon][+ half tide].\n\n[-Sail then][+Wait for it]",
    ],
    ["same text ", "same text ", "same text "],
    ["", "all of it", "[+all of it]"],
  ])("names the words of %j and %j", (base, text, expected) => {
    expect(shorten(findChanges({ base, text })).join("")).toBe(expected);
  });

  it.each([
    ["sentences", "A first line.\n\n- one  item\n- another\t", "A first row!\n- one item\n\n- a third "],
    ["texts with nothing in common", "x ".repeat(9000), "y ".repeat(9000)],
    ["halves of surrogate pairs", "a \ud83d b", "a \ude00 b"],
    ["a megabyte", "word ".repeat(200_000), `${"word ".repeat(199_999)}end`],
  ])("give both texts back: %s", (_, base, text) => {
    const changes = findChanges({ base, text });
    expect(of(changes, "both", "base") === base).toBe(true);
    expect(of(changes, "both", "text") === text).toBe(true);
  });
});
