import { expect, it } from "vitest";
import { markQuotes, readPageOf } from "./read-page.shared";

it("distinguishes a page that a tool read from other results", () => {
  expect(readPageOf({ url: "https://a.example/", title: " ", text: "Hello" })).toEqual({
    url: "https://a.example/",
    title: "https://a.example/",
    text: "Hello",
  });
  for (const output of [
    null,
    "text",
    {},
    { url: "javascript:alert(1)", text: "x" },
    { url: "/rag/doc_1", text: "x" },
  ])
    expect(readPageOf(output)).toBeUndefined();
});

it("marks verbatim quotes of an answer, each once", () => {
  const text = "Soup is served on Monday. Tea is served at four.";
  const answer =
    'It says "Soup is served on Monday." and\n> served on Monday. Tea is\n\n"short" "not in the page at all"';
  const pieces = markQuotes(text, answer);
  expect(pieces.map(({ text: piece }) => piece).join("")).toBe(text);
  expect(pieces.filter(({ quoted }) => quoted).map(({ text: piece }) => piece)).toEqual([
    "Soup is served on Monday.",
    " Tea is",
  ]);
  expect(markQuotes(text, "Nothing quoted")).toEqual([{ text, quoted: false }]);
});
