import { describe, expect, it } from "vitest";
import { convert } from "./units";

describe("convert", () => {
  it.each([
    [5, "mW", "W", 0.005],
    [5, "MW", "W", 5e6],
    [2, "KM", "m", 2000],
    [1, "milliwatt", "mW", 1],
    [100, "°C", "°F", 212],
  ])("converts %d %s to %s", (value, from, to, expected) => {
    expect(convert(value, from, to).value).toBe(expected);
  });

  it.each(["Mg", "Mm", "furlong"])("refuses %s, naming the units", (unit) => {
    expect(() => convert(1, unit, "g")).toThrow(`The unit "${unit}" is unknown. Units: length: mm`);
  });
});
