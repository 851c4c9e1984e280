import { expect, it } from "vitest";
import { sizeRefusal } from "./limits.shared";

it.each([
  ["file", 0, "The file is empty. Choose another file."],
  ["file", 10_000_000, undefined],
  ["file", 10_000_001, "This file is larger than 10 MB. Use a smaller one."],
  ["image", 7_000_000, undefined],
  ["image", 7_000_001, "This image is larger than 7 MB. Use a smaller one."],
  ["shrinkable image", 7_000_001, undefined],
  ["shrinkable image", 50_000_001, "This image is larger than 50 MB. Use a smaller one."],
] as const)("checks a %s of %i bytes", (kind, size, refusal) => {
  expect(sizeRefusal(size, kind)).toBe(refusal);
});
