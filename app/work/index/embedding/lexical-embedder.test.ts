import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../tests/support/processor-time";
import { embedLexically, LEXICAL_DIMENSIONS } from "./lexical-embedder";

function cosine(a: string, b: string): number {
  const other = embedLexically(b);
  return embedLexically(a).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

const PASSAGE =
  "Employees request vacation at least two weeks ahead. The manager approves vacation in the calendar.";

describe("the lexical embedder", () => {
  it("makes vectors of length 1", () => {
    const vector = embedLexically(PASSAGE);
    expect(vector).toHaveLength(LEXICAL_DIMENSIONS);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("returns the same vector in any order of texts", () => {
    const first = embedLexically(PASSAGE);
    for (let number = 0; number < 3000; number++)
      embedLexically(`filling word${number} other${number} more${number}`);
    expect(embedLexically(PASSAGE)).toEqual(first);
  });

  it("is stable: a change requires a new version", () => {
    const vector = embedLexically("The quick brown fox jumps over the lazy dog; the dog sleeps.");
    expect([...vector.slice(0, 4)].map((value) => value.toFixed(4))).toMatchInlineSnapshot(`
      [
        "-0.0411",
        "0.0077",
        "-0.0392",
        "0.0185",
      ]
    `);
  });

  it("rates texts that share words as similar, in any word form", () => {
    const near = cosine("approving a vacation request", PASSAGE);
    expect(near).toBeGreaterThan(0.3);
    expect(cosine("firmware of the coffee machine", PASSAGE)).toBeLessThan(near / 2);
  });

  it("recognises misspelt and compound words by their letters", () => {
    expect(cosine("configuration", "konfiguration")).toBeGreaterThan(0.15);
    expect(cosine("authentification", "authentication")).toBeGreaterThan(0.15);
    expect(Math.abs(cosine("configuration", "marmalade"))).toBeLessThan(0.15);
  });

  it("distinguishes word order", () => {
    expect(cosine("machine learning", "machine learning")).toBeCloseTo(1, 5);
    expect(cosine("blood test", "test blood")).toBeLessThan(0.98);
  });

  it("returns a vector for a text without words", () => {
    expect(Math.hypot(...embedLexically("…"))).toBe(1);
    expect(embedLexically("")).toEqual(embedLexically("?!"));
  });

  it.each([["a".repeat(1_000_000)], ["字".repeat(20_000)], ["\ud800\u0000"], ["to be or not to be"]])(
    "embeds hostile texts in reasonable time",
    (text) => {
      const start = process.threadCpuUsage();
      expect(embedLexically(text).every(Number.isFinite)).toBe(true);
      expect(processorMs(start)).toBeLessThan(2000);
    },
  );
});
