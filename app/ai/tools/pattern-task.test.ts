import { expect, it } from "vitest";
import { matchPatterns } from "./pattern-task";

it.each([
  ["^[A-Z]{3}$", "EUR", true],
  ["^[A-Z]{3}$", "EURO", false],
  ["b", "abc", true],
  ["^\\p{Lu}.$", "É😀", true],
  // Valid only by the older rules, or by none.
  ["^\\-a$", "-a", true],
  ["(", "anything", true],
])("%s and %j", (pattern, text, expected) => {
  expect(matchPatterns([{ pattern, text }])).toEqual([expected]);
});
