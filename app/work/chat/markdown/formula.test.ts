import { describe, expect, it } from "vitest";
import { LiveMarkdown } from "./live.shared";
import { parseMarkdown } from "./parse.shared";
import { renderTexts } from "./render-task";

/** The formulas of a text in their order. */
const formulasIn = (text: string): string[] =>
  [...JSON.stringify(parseMarkdown(text)).matchAll(/"t":"math","v":("(?:[^"\\]|\\.)*")/g)].map(
    ([, json = ""]) => JSON.parse(json) as string,
  );
const typeset = (text: string) => renderTexts({ texts: [text] }).json;

describe("formulas", () => {
  it.each([
    ["within a line", "So $a_1 * b$ and \\(c_2\\) hold.", ["$a_1 * b$", "\\(c_2\\)"]],
    ["on a line of its own", "$$a = b$$\n\n\\[ c \\]", ["$$a = b$$", "\\[ c \\]"]],
    ["over lines that look like a list", "Then\n$$\na\n- b\n= c\n$$\nfollows.", ["$$\na\n- b\n= c\n$$"]],
    ["inside of a paragraph", "Then $$a$$ and\n\\[b\\] follow.", ["$$a$$", "\\[b\\]"]],
    ["in a cell and an item", "| a |\n|---|\n| $x$ |\n\n- $y$", ["$x$", "$y$"]],
  ])("are found %s", (_, text, formulas) => {
    expect(formulasIn(text)).toEqual(formulas);
  });

  it.each([
    "It costs $5 and $10.",
    "Between $5-$10, or US$5 and EU$6.",
    "An escaped \\$x$ sign.",
    "`$x$` and\n\n```\n$$x$$\n```",
    "An unfinished $x + 1",
    "An unfinished\n$$\nx + 1\n\nand more",
    "A row of $$$$ signs",
    `$${"x".repeat(1200)}$`,
  ])("aren't found in %j", (text) => {
    expect(formulasIn(text)).toEqual([]);
  });

  it("become MathML, or stay source if invalid", () => {
    expect(typeset("$\\frac{a}{b}$")).toContain('{"n":"mfrac"');
    expect(typeset("$\\frac{a}$")).not.toContain('"m":');
    expect(typeset("$\\notacommand{x}$")).not.toContain('"m":');
  });

  it.each([
    "\\href{javascript:alert(1)}{x}",
    "\\url{https://evil.example}",
    "\\includegraphics{https://evil.example/x.png}",
    "\\htmlStyle{background:url(https://evil.example)}{x}",
    "\\htmlId{root}{x}",
    "\\text{<img src=x onerror=alert(1)>}",
    "\\def\\a{\\a\\a}\\a",
    "\\color{red;background:url(//evil.example)}x",
    "x^{".repeat(400),
  ])("contain no links, styles or code: %s", (source) => {
    const rendered = typeset(`$$${source}$$`);
    expect(rendered).not.toMatch(/"(?:href|src|style|class|id|on\w+)":|"n":"(?!m)/);
  });

  it("limit their input", () => {
    const many = Array.from({ length: 200 }, () => "$\\frac{a}{b}$ ".repeat(20)).join("\n\n");
    const started = renderTexts({ texts: [many] });
    expect(started.nodes).toBeLessThan(20_000);
  });

  it("are found in a growing text once they are closed", () => {
    const live = new LiveMarkdown();
    expect(JSON.stringify(live.grow("$$\na\n", 50).tree)).not.toContain('"math"');
    expect(JSON.stringify(live.grow("$$\na\n$$\n", 50).tree)).toContain('"math"');
  });
});

it.each([
  ["$$a = b$$", true],
  ["\\[a\\]", true],
  ["$$a = b", false],
  ["$$$$", false],
  ["a = b", false],
  [`$$${"x".repeat(1996)}$$`, true],
  [`$$${"x".repeat(1997)}$$`, false],
])("typesets a block that is closed and not too long: %j", (source, isFormula) => {
  expect(formulasIn(source).length > 0).toBe(isFormula);
});
