import { expect, it } from "vitest";
import { describeFacts } from "./describe-facts";

it("says a model's price, context and abilities, as far as they are known", () => {
  expect(
    describeFacts({
      id: "a",
      abilities: ["vision", "function-calling"],
      price: { input: 2.5, output: 10 },
      context: 128_000,
    }),
  ).toEqual(["$2.50 in, $10 out per 1M", "128K context", "Vision, Tools"]);
  expect(describeFacts({ id: "b", abilities: [], price: { input: 0, output: 0 } })).toEqual(["Free"]);
  expect(
    describeFacts({ id: "c", abilities: [], price: { input: 0.075, output: 0.3 }, context: 1_048_576 }),
  ).toEqual(["$0.075 in, $0.30 out per 1M", "1M context"]);
  expect(describeFacts({ id: "d", abilities: [] })).toEqual([]);
  expect(describeFacts(undefined)).toEqual([]);
});
