import { describe, expect, it } from "vitest";
import { formatCost, formatDuration, formatSpan, formatSpend, formatTokens } from "./format";

it.each([
  [3_600_000, "1 hour"],
  [30_000, "30 seconds"],
  [1500, "1 second 500 milliseconds"],
  [5_400_000, "1 hour 30 minutes"],
  [90_000, "1 minute 30 seconds"],
  [86_400_000, "1 day"],
])("formats a limit of %d ms as %s", (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

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
    [0.0046, "$0.00"],
    [23.47, "$23.47"],
  ])("shows a spend of %d dollars as %s", (dollars, text) => {
    expect(formatSpend(dollars)).toBe(text);
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
