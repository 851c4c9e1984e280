import { expect, it } from "vitest";
import { showTableRows } from "./table-rows.shared";

it("separates the cells of extracted tables and of Markdown by dots", () => {
  expect(showTableRows("Item | Count | Site\nRope | 3 | Pier")).toBe("Item · Count · Site\nRope · 3 · Pier");
  expect(showTableRows("Stock:\n| a | b |\n|---|:-:|\n| 1 | 2 |\nEnd")).toBe("Stock:\na · b\n1 · 2\nEnd");
});

it("leaves other lines with pipes alone", () => {
  const text = "Run this:\nls | grep rope\nand || or";
  expect(showTableRows(text)).toBe(text);
  expect(showTableRows("A line.\n---\nAnother.")).toBe("A line.\n---\nAnother.");
});

// It would take seconds if two parts of the pattern could share the spaces.
it("reads a long line of spaces", () => {
  const text = `${" ".repeat(200_000)}x`;
  expect(showTableRows(`${text} | y`)).toBe(`${text} | y`);
});
