import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument, addVersion } from "../../../tests/support/documents";
import { readSurroundings } from "./surroundings.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

/** A text of three lines. @returns the place of the second one */
function addText(documentId: string, number: number, word: string) {
  const lines = [`Before ${word}.`, `Found ${word}.`, `After ${word}.`];
  let start = 0;
  const blocks = lines.map((line) => {
    const block = { kind: "paragraph", start, end: start + line.length };
    start = block.end + 2;
    return block;
  });
  addVersion(documentId, { number, texts: [{ text: lines.join("\n\n"), blocks }] });
  return { documentId, version: number, number: 1, start: blocks[1]?.start ?? 0, end: blocks[1]?.end ?? 0 };
}

it("reads the version that a passage is of, for those who see the document", () => {
  const open = addDocument("Open");
  const [first, second] = [addText(open, 1, "old"), addText(open, 2, "new")];
  const read = (place: typeof first, who: "member" | "admin" = "member") =>
    readSurroundings(test.actors[who], [place], 1000).map(({ text }) => text);
  expect(read(first)).toEqual(["Before old.\n\n[passage 1]\n\nAfter old."]);
  expect(read(second)).toEqual(["Before new.\n\n[passage 1]\n\nAfter new."]);
  expect(read({ ...first, version: 3 })).toEqual([]);
  const hidden = addText(addDocument("Hidden", { visibility: "named", createdBy: "usr_admin" }), 1, "own");
  expect(read(hidden, "admin")).toHaveLength(1);
  expect(read(hidden)).toEqual([]);
});

it("serves the best passages first, and keeps documents apart", () => {
  const places = ["one", "two"].map((word, at) => ({
    ...addText(addDocument(word), 1, word),
    number: at + 1,
  }));
  const numbers = (budget: number) =>
    readSurroundings(test.actors.member, places, budget).map(({ passages }) => passages);
  expect(numbers(1000)).toEqual([[1], [2]]);
  expect(numbers(5)).toEqual([[1]]);
  expect(numbers(0)).toEqual([]);
});
