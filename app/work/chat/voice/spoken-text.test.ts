import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../tests/support/processor-time";
import { spokenPieces, spokenText } from "./spoken-text.shared";

describe("the spoken text of an answer", () => {
  it.each([
    ["# A *title*\n\nThey **bring** `rope`, __tar__ and ~~tea~~.", "A title\nThey bring rope, tar and tea."],
    ["See [the list](https://example.org/a?b=c) ![a ship](x.png) [1][2].", "See the list a ship ."],
    ["Before\n\n```js\nconst a = 1;\n```\nAfter", "Before\nA piece of code is left out.\nAfter"],
    ["Open\n~~~\nnever closed", "Open\nA piece of code is left out."],
    ["| Ship | Tons |\n|---|:-:|\n| Ada | 40 |", "Ship, Tons\nAda, 40"],
    ["> - quoted\n1. first\n* second", "quoted\n1. first\nsecond"],
    ["at https://docs.example.org/a/b?c=d and snake_case_name", "at docs.example.org and snake_case_name"],
    ["$$\nx^2\n$$\n<b>bold</b>", "A formula is left out.\nbold"],
    ["```\nonly code\n```", "A piece of code is left out."],
    [" \n\n", ""],
  ])("leaves out what isn't said: %j", (markdown, spoken) => {
    expect(spokenText(markdown)).toBe(spoken);
  });

  it.each([
    "[",
    "![",
    "[a](",
    "<a",
    "_",
    "*a",
    "| ",
    "```\n",
    "$$\n",
    "> ",
    "-",
    "#",
    "https://",
    "\n",
    " ",
    ",",
  ])("takes no longer than its length for %j", (piece) => {
    const begun = process.threadCpuUsage();
    spokenText(piece.repeat(50_000 / piece.length));
    spokenText(`a${piece.repeat(50_000 / piece.length)}b`);
    expect(processorMs(begun)).toBeLessThan(500);
  });
});

describe("the pieces of a text", () => {
  it("end with sentences where they can, the first soon, and lose nothing but spaces", () => {
    const text = "A ship sails. ".repeat(400).trim();
    const pieces = spokenPieces(text);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces[0]?.length).toBeLessThanOrEqual(300);
    expect(pieces.every((piece) => piece.endsWith("sails.") && piece.length <= 1500)).toBe(true);
    expect(pieces.join(" ")).toBe(text);
  });

  it("are cut between whole characters where nothing ends", () => {
    const text = "\u{1f6a2}".repeat(2000);
    const pieces = spokenPieces(text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join("")).toBe(text);
  });

  it("of no text are none", () => expect(spokenPieces("")).toEqual([]));
});
