import { expect, it } from "vitest";
import { isWithinBudget } from "./budget.shared";

const words = (count: number, word = "word") => Array.from({ length: count }, () => word).join(" ");

it.each([
  ["a gap between words", (n: number) => `a${" ".repeat(n)}b`, 200],
  ["a word", (n: number) => "x".repeat(n), 2500],
  ["an address", (n: number) => `@${"x".repeat(n - 1)}`, 320],
  ["indentation", (n: number) => `${" ".repeat(n)}a`, 40],
  ["lines", (n: number) => "a\n".repeat(n - 1), 600],
  ["emphasis in a paragraph", (n: number) => words(n / 2, "*a*"), 240],
  ["a table's columns", (n: number) => `${"a | ".repeat(n - 1)}a\n${"- | ".repeat(n - 1)}-`, 60],
] as const)("formats a text up to the limit of %s", (_, textOf, limit) => {
  expect([isWithinBudget(textOf(limit)), isWithinBudget(textOf(limit + 2))]).toEqual([true, false]);
});

it("counts the marks of each paragraph and item by themselves", () => {
  const many = `x ${words(110, "_a_")}`;
  expect(isWithinBudget(`${many}\n- ${many}\n\n${many}`)).toBe(true);
  expect(isWithinBudget(`${many}\n${many}`), "one paragraph of two lines").toBe(false);
  expect(isWithinBudget(`${many}\n${many}\n- an item`), "a paragraph that isn't the last").toBe(false);
});
