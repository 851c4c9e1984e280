import { expect, it } from "vitest";
import { isNewer } from "./use-live-topics";

it.each([
  ["a.2", "a.1", true],
  ["a.10", "a.9", true],
  ["a.1", "a.1", false],
  ["a.1", "a.2", false],
  ["b.1", "a.2", true],
  ["a.1", undefined, false],
])("%s is newer than %s: %s", (version, current, newer) => {
  expect(isNewer(version, current)).toBe(newer);
});
