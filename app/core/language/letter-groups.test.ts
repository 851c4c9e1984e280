import { expect, it } from "vitest";
import { scoreByLetters } from "./letter-groups";

const scores = (query: string, ...texts: string[]) => scoreByLetters(query, texts);

it("scores parts and other forms of words above other words", () => {
  const [compound = 0, other = 0] = scores(
    "Kosten der Reise",
    "Die Reisekostenabrechnung ist fällig.",
    "Das Fenster im Flur ist offen.",
  );
  expect(compound).toBeGreaterThan(2 * other);
});

it("compares folded letters, and takes signs for one space", () => {
  const [same, folded] = scores("Straße — Görlitz", "straße görlitz", "STRASSE,  Gorlitz!");
  expect(folded).toBeCloseTo(same ?? 0, 1);
  expect(folded).toBeGreaterThan(0);
});

it("compares three characters of scripts without spaces", () => {
  const [found = 0, other] = scores("有給休暇", "年に二十日の有給休暇があります。", "扉を開けます。");
  expect(found).toBeGreaterThan(0);
  expect(other).toBe(0);
});

it("scores nothing without texts or letters", () => {
  expect(scores("word")).toEqual([]);
  expect(scores("", "word")).toEqual([0]);
});
