import { describe, expect, it } from "vitest";
import { wordParagraph } from "../../../../tests/support/document-files";
import { code, docx, field, mark, p, run } from "../../../../tests/support/word-files";
import { readDocument } from "../index";

const read = (bytes: Uint8Array) => readDocument({ bytes, name: "a.docx", contentType: "" });
const textOf = async (...args: Parameters<typeof docx>) => (await read(docx(...args))).text;
const notesOf = async (...args: Parameters<typeof docx>) => (await read(docx(...args))).facts.notes ?? [];

describe("a field", () => {
  it.each([
    [
      "within another's code gives the outer result only",
      mark("begin") +
        code("IF ") +
        field("MERGEFIELD A", run("inner")) +
        code(' = 1 "x"') +
        mark("separate") +
        run("outer") +
        mark("end"),
      "outer",
    ],
    [
      "within another's result is read",
      field("HYPERLINK x", run("see ") + field("REF a", run("clause 4"))),
      "see clause 4",
    ],
    [
      "with a page's number loses it",
      run("Page ") + field("PAGE", run("3")) + run(" of ") + field("NUMPAGES", run("7")) + run(". End"),
      "Page . End",
    ],
    ["that refers to a page keeps it", run("see page ") + field("PAGEREF x", run("12")), "see page 12"],
    ["that is never separated loses no text", mark("begin") + run("kept"), "kept"],
    ["for a symbol", mark("begin") + code("SYMBOL 254 \\f Wingdings") + mark("end"), "☑"],
    [
      "for a button shows its label",
      mark("begin") + code("MACROBUTTON Go [Click here]") + mark("end"),
      "[Click here]",
    ],
    [
      "for a reading",
      mark("begin") + code("EQ \\* jc2 \\o\\ad(\\s\\up 9(とうきょう),東京)") + mark("end"),
      "東京 (とうきょう)",
    ],
    [
      "of a checked box",
      '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>' +
        code("FORMCHECKBOX") +
        mark("end") +
        run(" Paid"),
      "☒ Paid",
    ],
    [
      "of a list",
      '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList></w:ffData></w:fldChar></w:r>' +
        code("FORMDROPDOWN") +
        mark("end"),
      "Blue",
    ],
  ])("%s", async (_, inner, text) => {
    expect(await textOf(p(inner))).toBe(text);
  });

  it("reaches over paragraphs", async () => {
    const body =
      p(mark("begin") + code("DOCVARIABLE x") + mark("separate") + run("first")) +
      p(run("second") + mark("end"));
    expect(await textOf(body)).toBe("first\n\nsecond");
  });

  it("with a table of contents is left out, which is said once", async () => {
    const entry = (text: string) => run(text) + field("PAGEREF _Toc1", run("3"));
    const body =
      p(mark("begin") + code("TOC \\o") + mark("separate") + entry("Scope")) +
      p(entry("Terms")) +
      p(mark("end")) +
      wordParagraph("Scope", "Heading1");
    const { text, facts } = await read(docx(body));
    expect(text).toBe("Scope");
    expect(facts.notes).toEqual(["Left out: 1 table of contents."]);
  });
});

describe("Japanese readings", () => {
  const ruby = (base: string, reading: string) =>
    `<w:r><w:ruby><w:rt>${run(reading)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;

  it("follow the paragraph, so that words stay whole", async () => {
    expect(
      await textOf(p(ruby("漢", "かん") + ruby("字", "じ") + run("を") + ruby("学", "まな") + run("ぶ。"))),
    ).toBe("漢字を学ぶ。 (かんじ, まな)");
  });
});

describe("a formula", () => {
  const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const part = (name: string, inner: string) => `<m:${name}>${inner}</m:${name}>`;
  const e = (text: string) => part("e", r(text));

  it.each([
    ["fractions", part("f", part("num", r("a+b")) + part("den", r("2"))), "(a+b)/2"],
    ["indexes", part("sSubSup", e("x") + part("sub", r("1")) + part("sup", r("2n"))), "x_1^(2n)"],
    ["roots", part("rad", part("deg", r("3")) + e("x+1")), "√[3](x+1)"],
    [
      "sums",
      part(
        "nary",
        `<m:naryPr><m:chr m:val="∑"/></m:naryPr>${part("sub", r("i=1"))}${part("sup", r("n"))}${e("i")}`,
      ),
      "∑_(i=1)^n i",
    ],
    [
      "brackets",
      part("d", `<m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e("a")}${e("b")}`),
      "[a|b]",
    ],
    ["functions", part("func", part("fName", r("sin")) + e("x")), "sin x"],
    [
      "limits",
      part("func", part("fName", part("limLow", e("lim") + part("lim", r("n→∞")))) + e("a")),
      "lim_(n→∞) a",
    ],
    ["matrices", part("m", part("mr", e("1") + e("2")) + part("mr", e("3") + e("4"))), "[1, 2; 3, 4]"],
    ["systems", part("eqArr", e("x=1") + e("y=2")), "x=1; y=2"],
    ["styled letters", r("𝐸=𝑚"), "E=m"],
    [
      "deep nesting",
      part("f", part("num", r("a")) + part("den", part("f", part("num", r("b")) + part("den", r("c"))))),
      "a/(b/c)",
    ],
  ])("with %s is one line", async (_, inner, text) => {
    expect(await textOf(p(part("oMath", inner)))).toBe(text);
  });
});

describe("revisions, hidden text and letters", () => {
  it("leaves out what was deleted or is hidden, and says so", async () => {
    const body =
      p(
        `${run("Pay ")}<w:del>${"<w:r><w:delText>ten</w:delText></w:r>"}</w:del><w:ins>${run("nine")}</w:ins>${run(" secret", "<w:vanish/>")}${run(" euros", '<w:vanish w:val="0"/>')}`,
      ) +
      p(`<w:moveFrom>${run("moved")}</w:moveFrom>`) +
      p(`<w:moveTo>${run("moved")}</w:moveTo>`);
    expect(await textOf(body)).toBe("Pay nine euros\n\nmoved");
    expect(await notesOf(body)).toEqual(["Left out: 1 deleted passage, 1 passage of hidden text."]);
  });

  it("joins paragraphs whose border was deleted", async () => {
    expect(await textOf(p(run("One "), "<w:rPr><w:del/></w:rPr>") + p(run("two")))).toBe("One two");
  });

  it("does not take earlier properties for present ones", async () => {
    const change = "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>";
    expect(
      await textOf(
        p(run("seen", change), '<w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange>'),
      ),
    ).toBe("seen");
  });

  it.each([
    [
      "symbols",
      '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r>',
      "✓α",
    ],
    ["text in a symbol font", run("a\uf062", '<w:rFonts w:ascii="Symbol"/>'), "αβ"],
    [
      "hyphens",
      "<w:r><w:t>E</w:t><w:noBreakHyphen/><w:t>4472 Sil</w:t><w:softHyphen/><w:t>ben</w:t></w:r>",
      "E-4472 Silben",
    ],
    ["tabs and breaks", "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a b\nc"],
    [
      "right-to-left parts",
      `<w:bdo w:val="rtl">${run("שלום ", "<w:rtl/>")}</w:bdo><w:dir>${run("עולם")}</w:dir>`,
      "שלום עולם",
    ],
    [
      "tags and links",
      `<w:smartTag>${run("Kiel")}</w:smartTag><w:hyperlink>${run(" here")}</w:hyperlink>`,
      "Kiel here",
    ],
    [
      "an empty check box",
      '<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="x"><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>',
      "☒",
    ],
  ])("reads %s", async (_, inner, text) => {
    expect(await textOf(p(inner))).toBe(text);
  });
});
