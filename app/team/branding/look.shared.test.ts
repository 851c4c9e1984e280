import { expect, it } from "vitest";
import { contrastOf, ratingOf } from "./look.shared";

it.each([
  ["#ffffff", "#000000", 21, "AAA"],
  ["#777777", "#ffffff", 4.48, "Large text only"],
  ["#ffffff", "#767676", 4.54, "AA"],
  ["#10b981", "#ffffff", 2.54, "Too low"],
  ["#123456", "#123456", 1, "Too low"],
] as const)("the contrast of %s and %s is %d, %s", (one, other, ratio, rating) => {
  expect(contrastOf(one, other)).toBeCloseTo(ratio, 2);
  expect(ratingOf(contrastOf(one, other))).toBe(rating);
});
