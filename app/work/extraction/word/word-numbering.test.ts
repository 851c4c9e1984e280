import { describe, expect, it } from "vitest";
import { docx, p, run, W } from "../../../../tests/support/word-files";
import { readDocument } from "../index";

const read = (bytes: Uint8Array, name = "a.docx") => readDocument({ bytes, name, contentType: "" });
const textOf = async (...args: Parameters<typeof docx>) => (await read(docx(...args))).text;

describe("a Word list", () => {
  const numbering = (
    levels: string,
    nums = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    more = "",
  ) => ({
    "word/numbering.xml": `<w:numbering ${W}><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${more}${nums}</w:numbering>`,
  });
  const level = (at: number, format: string, text: string, more = "") =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`;
  const by = (at: number, num = 1) => `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${num}"/></w:numPr>`;
  const items = (...levels: number[]) => levels.map((at) => p(run("x"), by(at))).join("");

  it.each([
    ["upperRoman", "I. x\nII. x\nIII. x\nIV. x"],
    ["lowerLetter", "a. x\nb. x\nc. x\nd. x"],
    ["decimalZero", "01. x\n02. x\n03. x\n04. x"],
    ["ordinal", "1st. x\n2nd. x\n3rd. x\n4th. x"],
    ["japaneseCounting", "一. x\n二. x\n三. x\n四. x"],
    ["ideographTraditional", "甲. x\n乙. x\n丙. x\n丁. x"],
    ["none", ". x\n. x\n. x\n. x"],
    ["no such format", "1. x\n2. x\n3. x\n4. x"],
  ])("counts as %s", async (format, text) => {
    expect(await textOf(items(0, 0, 0, 0), numbering(level(0, format, "%1.")))).toBe(text);
  });

  it.each([
    ["each higher one", "", "1 1 1"],
    ["none", '<w:lvlRestart w:val="0"/>', "1 2 3"],
    ["the first level only", '<w:lvlRestart w:val="1"/>', "1 2 1"],
  ])("starts a level again after %s", async (_, restart, numbers) => {
    const levels =
      level(0, "decimal", "%1") + level(1, "lowerLetter", "%1%2)") + level(2, "decimal", "%3", restart);
    const [first, second, third] = numbers.split(" ");
    expect(await textOf(items(0, 1, 2, 1, 2, 0, 1, 2), numbering(levels))).toBe(
      `1 x\n  1a) x\n    ${first} x\n  1b) x\n    ${second} x\n2 x\n  2a) x\n    ${third} x`,
    );
  });

  it("shows all levels as decimals where the law wants it", async () => {
    const levels = level(0, "upperRoman", "Article %1") + level(1, "decimal", "%1.%2", "<w:isLgl/>");
    expect(await textOf(items(0, 0, 1), numbering(levels))).toBe("Article I x\nArticle II x\n  2.1 x");
  });

  it("goes on in another list of the same kind, and starts where that one says", async () => {
    const num = (id: number, more = "") =>
      `<w:num w:numId="${id}"><w:abstractNumId w:val="0"/>${more}</w:num>`;
    const start = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>';
    const body = [1, 2, 3, 3, 1].map((id) => p(run("x"), by(0, id))).join("");
    expect(await textOf(body, numbering(level(0, "decimal", "%1."), num(1) + num(2) + num(3, start)))).toBe(
      "1. x\n2. x\n5. x\n6. x\n7. x",
    );
  });

  it("numbers headings by their style", async () => {
    const styles = `<w:styles ${W}>${[1, 2]
      .map(
        (at) =>
          `<w:style w:type="paragraph" w:styleId="H${at}"><w:name w:val="heading ${at}"/>${at === 2 ? '<w:basedOn w:val="H1"/>' : ""}<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="${at - 1}"/></w:pPr></w:style>`,
      )
      .join("")}</w:styles>`;
    const levels =
      level(0, "decimal", "%1", '<w:pStyle w:val="H1"/>') +
      level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>');
    const heading = (at: number, text: string) => p(run(text), `<w:pStyle w:val="H${at}"/>`);
    const body =
      heading(1, "Scope") +
      heading(1, "Terms") +
      heading(2, "Notice") +
      p(run("Text"), '<w:pStyle w:val="H2"/><w:numPr><w:numId w:val="0"/></w:numPr>');
    const { text, blocks } = await read(docx(body, { ...numbering(levels), "word/styles.xml": styles }));
    expect(text).toBe("1 Scope\n\n2 Terms\n\n2.1 Notice\n\nText");
    expect(blocks.map(({ level: at }) => at)).toEqual([1, 1, 2, 2]);
  });

  it("follows a numbering style, and styles in a circle", async () => {
    const styles = `<w:styles ${W}><w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`;
    const more = `<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="L"/>${level(0, "decimal", "(%1)")}</w:abstractNum>`;
    const nums =
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>';
    const parts = { ...numbering('<w:numStyleLink w:val="L"/>', nums, more), "word/styles.xml": styles };
    expect(await textOf(p(run("x"), `<w:pStyle w:val="A"/>${by(0)}`), parts)).toBe("(1) x");
  });

  it("has a bullet for any symbol, and its word for a word", async () => {
    const levels = level(0, "bullet", "\uf0b7") + level(1, "bullet", "Note:");
    expect(await textOf(items(0, 1), numbering(levels))).toBe("- x\n  Note: x");
  });
});
