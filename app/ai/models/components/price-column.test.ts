import { expect, it } from "vitest";
import { priceColumn } from "./model-list-parts";

it("gives the prices of a column the same decimals", () => {
  const prices = [0.0025, 0.00015, 0, null, 0.03];
  expect(prices.map(priceColumn(prices))).toEqual(["$0.00250", "$0.00015", "$0.00000", "—", "$0.03000"]);
  expect([1, 0.5].map(priceColumn([1, 0.5]))).toEqual(["$1.00", "$0.50"]);
});
