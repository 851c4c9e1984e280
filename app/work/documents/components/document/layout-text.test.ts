import { describe, expect, it } from "vitest";
import type { Block } from "~/work/extraction/document.schema";
import { findFirstOverlap, headingsAt, layoutText, markPieces, type Range } from "./layout-text";

function page(...parts: [kind: Block["kind"], text: string, more?: Partial<Block>][]) {
  let text = "";
  const blocks = parts.map(([kind, own, more]) => {
    if (text) text += "\n\n";
    const start = 100 + text.length;
    text += own;
    return { kind, start, end: start + own.length, ...more };
  });
  return { start: 100, text, blocks };
}
const textOf = (
  { start, text }: ReturnType<typeof page>,
  range: { start: number; end: number } | undefined,
) => range && text.slice(range.start - start, range.end - start);

it("returns list items with their depth, and continued lines", () => {
  const list = page(["list", "- one\n  - two\n    goes on\n10. three"]);
  const rows = layoutText(list)[0]?.rows ?? [];
  expect(
    rows.map(({ depth, marker, ranges }) => [depth, marker, ...ranges.map((range) => textOf(list, range))]),
  ).toEqual([
    [0, "-", "one"],
    [1, "-", "two", "goes on"],
    [0, "10.", "three"],
  ]);
});

it("distinguishes done and open tasks", () => {
  const list = page(["list", "- [x] lamp\n- [ ] log\n- plain\n1. [X] last"]);
  const rows = layoutText(list)[0]?.rows ?? [];
  expect(rows.map(({ task, ranges }) => [task, textOf(list, ranges[0])])).toEqual([
    ["done", "lamp"],
    ["open", "log"],
    [undefined, "plain"],
    ["done", "last"],
  ]);
});

it("returns a table's cells, including empty ones", () => {
  const table = page(["paragraph", "Before"], ["table", "Name | Price\nTea |  | x"]);
  const rows = layoutText(table)[1]?.rows ?? [];
  expect(rows.map(({ ranges }) => ranges.map((range) => textOf(table, range)))).toEqual([
    ["Name", "Price"],
    ["Tea", "", "x"],
  ]);
});

it("finds where a passage begins, also between two blocks", () => {
  const text = page(["paragraph", "First."], ["list", "- second\n- third"], ["paragraph", "Last."]);
  const laid = layoutText(text);
  const touched = (start: number, end: number) => textOf(text, findFirstOverlap(laid, { start, end }));
  expect(touched(100, 103)).toBe("First.");
  expect(touched(107, 130)).toBe("second");
  expect(touched(118, 120)).toBe("third");
  expect(touched(900, 901)).toBeUndefined();
});

it("returns the headings above a position", () => {
  const text = page(
    ["heading", "Top", { level: 1 }],
    ["heading", "Old", { level: 2 }],
    ["paragraph", "a"],
    ["heading", "New", { level: 2 }],
    ["paragraph", "b"],
    ["heading", "Later", { level: 2 }],
  );
  expect(headingsAt(text, text.blocks[4]?.start ?? 0)).toEqual(["Top", "New"]);
});

describe("marks", () => {
  const kinds = (passage?: Range, quote?: Range) =>
    markPieces({ start: 10, end: 20 }, passage, quote).map(({ start, end, mark }) => [start, end, mark]);

  it("highlight the passage lightly and its quote strongly", () => {
    expect(kinds({ start: 0, end: 18 }, { start: 12, end: 15 })).toEqual([
      [10, 12, "faint"],
      [12, 15, "strong"],
      [15, 18, "faint"],
      [18, 20, undefined],
    ]);
    expect(kinds()).toEqual([[10, 20, undefined]]);
    expect(kinds({ start: 10, end: 20 })).toEqual([[10, 20, "faint"]]);
  });
});
