import { expect, it } from "vitest";
import { thoughtFor } from "./reasoning";

it.each([
  [35, "Thought for less than 1 s"],
  [1000, "Thought for 1 s"],
  [12_400, "Thought for 12 s"],
  [59_700, "Thought for 1 min 0 s"],
  [125_000, "Thought for 2 min 5 s"],
])("describes a duration of %d ms", (ms, label) => {
  expect(thoughtFor(ms)).toBe(label);
});
