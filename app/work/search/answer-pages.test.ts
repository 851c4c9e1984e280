import { expect, it } from "vitest";
import { locationOf } from "~/ai/models/quoted-passages.shared";
import { answerPages } from "./answer-pages.shared";

const LINES = ["Rooms are booked by phone.", "Holidays are 25 days.", "Rooms have a projector.", "The end."];
const TEXT = LINES.join("\n\n");
const placeOf = (line: string) => {
  const start = 1000 + TEXT.indexOf(line);
  return { start, end: start + line.length };
};
const EXCERPT = {
  text: TEXT,
  start: 1000,
  blocks: LINES.map((line, at) => ({ kind: "paragraph" as const, ...placeOf(line), page: at + 3 })),
};
const FIRST_THREE = { start: 1000, end: placeOf("Rooms have a projector.").end };

it.each([
  ["How many holidays are there?", FIRST_THREE, 4, 4],
  ["Which room has a projector?", FIRST_THREE, 5, 5],
  // Sentences on two pages match equally.
  ["Which rooms are there?", FIRST_THREE, 3, 5],
  // No sentence matches.
  ["Who is the director?", FIRST_THREE, 3, 5],
  ["Which room has a projector?", placeOf("Holidays are 25 days."), 4, 4],
  // The stored excerpt may be only a part of the passage.
  ["", { start: 0, end: 9999 }, 3, 6],
])("answers %j on the pages of its passage that may", (question, passage, page, last) => {
  expect(answerPages(EXCERPT, passage, question)).toEqual({ page, last });
});

it("has none in a text without pages", () => {
  const blocks = EXCERPT.blocks.map(({ page: _, ...block }) => block);
  expect(answerPages({ ...EXCERPT, blocks }, FIRST_THREE, "holidays")).toBeUndefined();
});

it("is named as one page, or as all", () => {
  const headings = ["Handbook"];
  expect(locationOf({ headings, page: 3 })).toBe("Handbook, page 3");
  expect(locationOf({ headings, page: 3, lastPage: 4 })).toBe("Handbook, pages 3–4");
});
