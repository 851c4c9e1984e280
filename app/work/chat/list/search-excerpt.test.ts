import { expect, it } from "vitest";
import { searchedWords } from "~/core/language/find-terms";
import { excerptOf } from "./search.service.server";

const marked = (text: string, ...words: string[]) =>
  excerptOf(text, searchedWords(words.join(" ")))
    .map((part) => (part.hit ? `[${part.text}]` : part.text))
    .join("");

it("marks every word that begins with a searched one, ignoring case and accents", () => {
  expect(marked("High WATER at noon, the water's édge", "wat", "edge")).toBe(
    "High [WATER] at noon, the [water]'s [édge]",
  );
});

it("shows the text around the first hit", () => {
  const text = `${"before ".repeat(50)}harbor ${"after ".repeat(80)}`;
  const excerpt = marked(text, "harbor");
  expect(excerpt).toContain("[harbor]");
  expect(excerpt).toMatch(/^…before .* after .*…$/);
  expect(excerpt.length).toBeLessThan(230);
});

it("omits Markdown syntax without splitting words", () => {
  expect(marked("Found:\n\n## **Tides**\n> High `water` > **low**", "water")).toBe(
    "Found: Tides High [water] > low",
  );
  expect(marked("An admin can [connect a provider](/settings).", "connect")).toBe(
    "An admin can [connect] a provider.",
  );
  expect(marked("## On call at night", "night")).toBe("On call at [night]");
});

it("starts at the beginning if no word is found, and keeps markup as text", () => {
  expect(marked("<mark>x</mark>\n\nsecond line", "zebra")).toBe("<mark>x</mark> second line");
  expect(marked("a <b>bold</b> word", "b")).toBe("a <[b]>[bold]</[b]> word");
});
