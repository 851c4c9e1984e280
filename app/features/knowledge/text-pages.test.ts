import { expect, it } from "vitest";
import { PAGE_CHARACTERS, pageAt, pageStarts } from "./text-pages";

const block = (start: number, end: number) => ({ kind: "paragraph" as const, start, end });

it("leaves a piece of usual length whole", () => {
  expect(pageStarts({ start: 700, text: "x".repeat(PAGE_CHARACTERS * 1.2) })).toEqual([700]);
});

it("cuts a very long piece evenly, and never a character in two", () => {
  const text = "😀".repeat(PAGE_CHARACTERS);
  const starts = pageStarts({ start: 1, text });
  expect(starts).toHaveLength(2);
  const page = pageAt({ start: 1, text: `a${text}`, blocks: [] }, starts[1] ?? 0);
  expect(page.text).not.toMatch(/\p{Cs}/u);
});

it("gives each page its part of a block that reaches over its edge", () => {
  const text = "x".repeat(PAGE_CHARACTERS * 2);
  const piece = { start: 0, text, blocks: [block(0, 10), block(10, PAGE_CHARACTERS + 5)] };
  const first = pageAt(piece, 0);
  const second = pageAt(piece, PAGE_CHARACTERS);
  expect(first.blocks).toEqual([block(0, 10), block(10, PAGE_CHARACTERS)]);
  expect(second).toMatchObject({
    start: PAGE_CHARACTERS,
    previous: 0,
    next: null,
    blocks: [block(PAGE_CHARACTERS, PAGE_CHARACTERS + 5)],
  });
});
