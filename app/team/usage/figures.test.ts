import { expect, it } from "vitest";
import { figuresOf, knownMetricOf, NO_SUMS } from "./figures.shared";

const spendOf = (sums: object) => knownMetricOf(figuresOf({ ...NO_SUMS, ...sums }), "spend");

it("spend is unknown without prices, and zero without calls or for free ones", () => {
  expect(spendOf({ requests: 2, unpriced: 2 })).toBeNull();
  expect(spendOf({ requests: 2, unpriced: 1, costMicros: 5 })).toBe(5);
  expect(spendOf({ requests: 2 })).toBe(0);
  expect(spendOf({})).toBe(0);
});
