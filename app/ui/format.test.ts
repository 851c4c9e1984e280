import { describe, expect, it } from "vitest";
import { formatCost, formatDuration, formatTokens } from "./format";

describe("figures of an answer", () => {
  it.each([
    [0, "$0.00"],
    [3, "$0.000003"],
    [250, "$0.0003"],
    [12_340, "$0.01"],
    [1_234_567, "$1.23"],
  ])("shows %i millionths of a dollar as %s", (micros, text) => {
    expect(formatCost(micros)).toBe(text);
  });

  it.each([
    [12.4, "12 ms"],
    [1540, "1.5 s"],
    [125_000, "2 min 5 s"],
  ])("shows %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [999, "999"],
    [127_400, "127.4K"],
  ])("shows %i tokens as %s", (count, text) => {
    expect(formatTokens(count)).toBe(text);
  });
});
