import { describe, expect, it } from "vitest";
import type { Block } from "~/work/extraction/document.schema";
import { AROUND_PASSAGE, Surroundings } from "./surroundings";

/** Blocks of a text whose headings begin with `#`. */
function read(...parts: string[]) {
  let start = 0;
  const blocks = parts.map((part): Block => {
    const level = /^#+/.exec(part)?.[0].length;
    const block: Block = { kind: level ? "heading" : "paragraph", start, end: start + part.length };
    start = block.end + 2;
    return level ? { ...block, level } : block;
  });
  return { text: parts.join("\n\n"), blocks, base: 0 };
}

/** The sections around some quotes of a text, numbered in order. */
function sectionsOf(excerpt: ReturnType<typeof read>, quotes: readonly string[], budget = AROUND_PASSAGE) {
  const places = quotes.map((quote, at) => {
    const start = excerpt.text.indexOf(quote);
    return { number: at + 1, start: start + excerpt.base, end: start + quote.length + excerpt.base };
  });
  const around = new Surroundings(excerpt, places);
  const used = places.map(({ number }) => around.take(number, budget));
  return { sections: around.sections(), used };
}

const HANDBOOK = read(
  "# Handbook",
  "Welcome.",
  "## Leave",
  "Everyone has 28 days.",
  "Ask two weeks before.",
  "### Carrying over",
  "Five days at most.",
  "## Pay",
  "On the 25th.",
);

describe("Surroundings", () => {
  it("gives the passage's section with what lies under it, and nothing of its neighbors", () => {
    expect(sectionsOf(HANDBOOK, ["Ask two weeks before."]).sections).toEqual([
      {
        passages: [1],
        text: "…\n\n## Leave\n\nEveryone has 28 days.\n\n[passage 1]\n\n### Carrying over\n\nFive days at most.\n\n…",
      },
    ]);
  });

  it("gives the section above one that the passage fills, and all of a text without headings", () => {
    const [above] = sectionsOf(HANDBOOK, ["### Carrying over\n\nFive days at most."]).sections;
    expect(above?.text).toBe(
      "…\n\n## Leave\n\nEveryone has 28 days.\n\nAsk two weeks before.\n\n[passage 1]\n\n…",
    );
    const [over] = sectionsOf(HANDBOOK, ["Five days at most.\n\n## Pay\n\nOn the 25th."]).sections;
    expect(over?.text).toMatch(/^# Handbook\n\nWelcome\./);
    expect(sectionsOf(read("One.", "Two.", "Three."), ["Two."]).sections[0]?.text).toBe(
      "One.\n\n[passage 1]\n\nThree.",
    );
  });

  it("has nothing around a passage that is the whole text, or has but headings around it", () => {
    expect(sectionsOf(read("Alone."), ["Alone."])).toEqual({ sections: [], used: [0] });
    expect(sectionsOf(read("# Title", "Alone."), ["Alone."]).sections).toEqual([]);
  });

  it("gives a section once to the passages in it, without their text, and charges it once", () => {
    const { sections, used } = sectionsOf(HANDBOOK, ["Ask two weeks before.", "Everyone has 28 days."]);
    expect(sections.map(({ passages }) => passages)).toEqual([[1, 2]]);
    expect(sections[0]?.text).toContain("## Leave\n\n[passage 2]\n\n[passage 1]\n\n### Carrying over");
    expect(used[0]).toBeGreaterThan(5);
    expect(used[1]).toBe(0);
  });

  it("cuts at blocks on both sides, within the budget, and says where the section goes on", () => {
    const filler = Array.from({ length: 200 }, (_, at) => `Sentence number ${at} has a few words more.`);
    const { sections, used } = sectionsOf(
      read("# A", ...filler.slice(0, 100), "HERE", ...filler.slice(100)),
      ["HERE"],
    );
    const lines = sections[0]?.text.split("\n\n") ?? [];
    expect(used[0]).toBeLessThanOrEqual(AROUND_PASSAGE);
    expect(used[0]).toBeGreaterThan(AROUND_PASSAGE - 30);
    expect([lines[0], lines.at(-1)]).toEqual(["…", "…"]);
    const before = lines.indexOf("[passage 1]");
    expect(Math.abs(before - (lines.length - 1 - before))).toBeLessThanOrEqual(1);
    expect(lines.slice(1, -1).every((line) => line === "[passage 1]" || filler.includes(line))).toBe(true);
  });

  it("takes a long block by sentences, also the rest of the passage's own", () => {
    const long = Array.from({ length: 100 }, (_, at) => `Clause ${at} of the contract says what it says.`);
    const [section] = sectionsOf(read(long.join(" ")), [long[50] as string]).sections;
    expect(section?.text).toContain(`${long[49]} [passage 1] ${long[51]}`);
    expect(section?.text).not.toContain(long[0]);
  });

  it("bounds text that weighs nothing", () => {
    const blank = Array.from({ length: 50 }, (_, at) => `${at}${" ".repeat(4000)}.`);
    const { sections } = sectionsOf(read("HERE", ...blank), ["HERE"]);
    expect(sections.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(4000);
  });

  it("reads an excerpt by the document's offsets", () => {
    const { text, blocks } = read("One.", "Two.");
    const moved = blocks.map((block) => ({ ...block, start: block.start + 900, end: block.end + 900 }));
    expect(sectionsOf({ text, blocks: moved, base: 900 }, ["Two."]).sections[0]?.text).toBe(
      "One.\n\n[passage 1]",
    );
  });
});
