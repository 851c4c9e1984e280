import { expect, it, vi } from "vitest";
import { exponentialBackoff, providerBackoff } from "./durations";

it("doubles the delay of each retry up to the maximum", () => {
  const delays = [0, 1, 2, 3].map((retries) => exponentialBackoff(retries, { first: 100, max: 500 }));
  expect(delays).toEqual([100, 200, 400, 500]);
});

it("spreads the retries of calls to a provider over half of their delay", () => {
  const random = vi.spyOn(Math, "random");
  expect([0, 0.5, 1].map((value) => random.mockReturnValueOnce(value) && providerBackoff(1))).toEqual([
    300, 450, 600,
  ]);
});
