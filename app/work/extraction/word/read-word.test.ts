import { readFileSync } from "node:fs";
import { strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { makeDocx, makeZip, wordParagraph } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const read = (bytes: Uint8Array, name = "a.docx") => readDocument({ bytes, name, contentType: "" });
const run = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inner: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (instruction: string, result: string) =>
  mark("begin") + code(instruction) + mark("separate") + result + mark("end");

/** @param links targets of relationships by ID, such as `{ rId9: "header header1.xml" }` */
function docx(
  body: string,
  parts: Record<string, string | Uint8Array> = {},
  links: Record<string, string> = {},
) {
  const base = { rId1: "styles styles.xml", rId2: "numbering numbering.xml", ...links };
  const lines = Object.entries(base).map(([id, link]) => {
    const [type, target] = link.split(" ");
    return `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  });
  const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join("")}</Relationships>`;
  return makeDocx(body, {
    parts: { "word/_rels/document.xml.rels": relationships, ...parts } as Record<string, string>,
  });
}
const textOf = async (...args: Parameters<typeof docx>) => (await read(docx(...args))).text;
const notesOf = async (...args: Parameters<typeof docx>) => (await read(docx(...args))).facts.notes ?? [];

describe("the small Word files that lost text", () => {
  it.each([
    ["word-fields.docx", "Customer: Muster GmbH, contract V-2024-118."],
    [
      "word-numbering.docx",
      "§ 2 Termination\n  2.1 Notice period is three months.\n  2.2 Notice must be in writing.",
    ],
    ["word-equation.docx", "E=mc kappa^2\n\nfor every body at rest, and inline zeta=42"],
    ["word-checkbox.docx", "Cell control 665544\n\n☒ Approved"],
    [
      "word-header.docx",
      "Wash your hands before entering.\n\nHeader: Procedure QP-0071 Rev. 3, valid from 2024-03-01",
    ],
    ["word-comment.docx", "Delivery in May.\n\nComment by Ann: Supplier says June is safer."],
  ])("%s", async (name, text) => {
    const document = await read(readFileSync(`tests/fixtures/documents/${name}`), name);
    expect(document.text).toContain(text);
    expect(document.text.split(text)).toHaveLength(2);
  });
});

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

  it("starts its levels again below a higher one", async () => {
    const levels =
      level(0, "decimal", "%1") +
      level(1, "lowerLetter", "%1%2)") +
      level(2, "decimal", "%3", '<w:lvlRestart w:val="0"/>');
    expect(await textOf(items(0, 1, 2, 1, 2, 0, 1, 2), numbering(levels))).toBe(
      "1 x\n  1a) x\n    1 x\n  1b) x\n    2 x\n2 x\n  2a) x\n    3 x",
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

describe("a Word table", () => {
  const cell = (text: string, properties = "") =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${p(run(text))}</w:tc>`;
  const row = (...cells: string[]) => `<w:tr>${cells.join("")}</w:tr>`;
  const table = (...rows: string[]) => `<w:tbl>${rows.join("")}</w:tbl>`;

  it("names merged cells in each row and keeps its columns", async () => {
    const body = table(
      row(cell("Region"), cell("Half", '<w:gridSpan w:val="2"/>'), cell("Sum")),
      row(cell("North", '<w:vMerge w:val="restart"/>'), cell("1"), cell("2"), cell("3")),
      row(cell("", "<w:vMerge/>"), cell("4"), cell("5"), cell("9")),
    );
    expect(await textOf(body)).toBe("Region | Half |  | Sum\nNorth | 1 | 2 | 3\nNorth | 4 | 5 | 9");
  });

  it("that lays out a page is read cell by cell", async () => {
    const inner = table(row(cell("a"), cell("b")), row(cell("c"), cell("d")));
    expect(await textOf(table(row(cell("Left"), `<w:tc>${p(run("Right"))}${inner}</w:tc>`)))).toBe(
      "Left\n\nRight\n\na | b\nc | d",
    );
  });

  it("has its footnotes below it, and no deleted row", async () => {
    const notes = `<w:footnotes ${W}><w:footnote w:type="separator" w:id="-1">${p(run("---"))}</w:footnote><w:footnote w:id="2">${p(run("Without tax."))}</w:footnote></w:footnotes>`;
    const body = table(
      row(cell("Item"), `<w:tc>${p(`${run("Price")}<w:r><w:footnoteReference w:id="2"/></w:r>`)}</w:tc>`),
      `<w:tr><w:trPr><w:del w:id="1"/></w:trPr>${cell("gone")}${cell("0")}</w:tr>`,
      row(cell("Tea"), cell("3")),
    );
    expect(await textOf(body, { "word/footnotes.xml": notes })).toBe(
      "Item | Price[1]\nTea | 3\n\n[1] Without tax.",
    );
  });
});

describe("a Word drawing", () => {
  const A = `xmlns:mc="m" xmlns:wps="s" xmlns:v="v" xmlns:a="a" xmlns:wp="wp" xmlns:c="c" xmlns:dgm="d" ${R}`;
  const box = (text: string) => `<w:txbxContent>${p(run(text))}</w:txbxContent>`;
  const either = (choice: string, fallback: string) =>
    `<w:r><mc:AlternateContent ${A}><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent></w:r>`;
  const drawing = (inner: string) => `<w:drawing ${A}><wp:inline>${inner}</wp:inline></w:drawing>`;

  it("has its text box once, after the paragraph that it stands in", async () => {
    const shape = either(
      drawing(`<wps:txbx>${box("In the box")}</wps:txbx>`),
      `<w:pict><v:textbox>${box("In the box")}</v:textbox></w:pict>`,
    );
    expect(await textOf(p(run("Before ") + shape + run("after")))).toBe("Before after\n\nIn the box");
  });

  it("is read from its older form if the newer one has no text", async () => {
    expect(await textOf(p(either("", `<w:pict><v:textbox>${box("Older")}</v:textbox></w:pict>`)))).toBe(
      "Older",
    );
  });

  it("has its alternative text, or is counted", async () => {
    const body =
      p(`<w:r>${drawing('<wp:docPr descr="The red valve"/><a:blip/>')}</w:r>`) +
      p(`<w:r>${drawing("<wp:docPr/><a:blip/>")}</w:r>`);
    expect(await textOf(body)).toBe("Image: The red valve");
    expect(await notesOf(body)).toEqual(["Left out: 1 image without text."]);
  });

  it("has the text of charts, diagrams and word art", async () => {
    const chart =
      '<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Turnover</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>';
    const diagram =
      '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Call the hotline</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>';
    const body = p(
      `<w:r>${drawing('<c:chart r:id="rId8"/>')}${drawing('<dgm:relIds r:dm="rId9"/>')}<w:pict ${A}><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>`,
    );
    const parts = { "word/charts/chart1.xml": chart, "word/diagrams/data1.xml": diagram };
    expect(
      await textOf(body, parts, { rId8: "chart charts/chart1.xml", rId9: "diagramData diagrams/data1.xml" }),
    ).toBe("Turnover\n\n- Call the hotline\n\nDRAFT");
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

describe("headers and footers", () => {
  const section = (...references: string[]) => p("", `<w:sectPr>${references.join("")}</w:sectPr>`);
  const header = (type: string, id: string) => `<w:headerReference w:type="${type}" r:id="${id}" ${R}/>`;
  const parts = Object.fromEntries(
    ["Acme QP-1", "First page", "Even page", "Acme QP-1"].map((text, at) => [
      `word/header${at}.xml`,
      `<w:hdr ${W}>${p(run(text))}${at === 0 ? p(run("Page ") + field("PAGE", run("1"))) : ""}</w:hdr>`,
    ]),
  );
  const links = Object.fromEntries([0, 1, 2, 3].map((at) => [`rId1${at}`, `header header${at}.xml`]));

  it("are read once, without those that no page shows", async () => {
    const body =
      p(run("Text")) +
      section(header("default", "rId10"), header("first", "rId11"), header("even", "rId12")) +
      section(header("default", "rId13"));
    expect(await textOf(body, parts, links)).toBe("Text\n\nHeader: Acme QP-1\nPage");
  });

  it("of first and even pages are read where there are such pages", async () => {
    const settings = `<w:settings ${W}><w:evenAndOddHeaders/></w:settings>`;
    const body =
      p(run("Text")) +
      section(header("default", "rId10"), header("first", "rId11"), header("even", "rId12")) +
      section("<w:titlePg/>");
    expect(await textOf(body, { ...parts, "word/settings.xml": settings }, links)).toBe(
      "Text\n\nHeader: Acme QP-1\nPage\nEven page\nFirst page",
    );
  });
});

describe("a document inserted into a Word file", () => {
  const body = `${p(run("Before"))}<w:altChunk r:id="rId9" ${R}/>${p(run("After"))}`;
  const html = "<!doctype html><html><body><h2>Terms</h2><p>Paid <b>monthly</b></p></body></html>";
  const archive = `MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=C3=BC=C3=9Fe</p>\r\n--b--\r\n`;

  it.each([
    ["HTML", "chunk.htm", strToU8(html), "Terms\n\nPaid monthly"],
    ["a web archive", "chunk.mht", strToU8(archive), "Grüße"],
    ["text", "chunk.txt", strToU8("Plain <text>"), "Plain <text>"],
    ["Word", "chunk.docx", makeDocx(wordParagraph("Inner", "Heading1")), "Inner"],
  ])("as %s is read in its place", async (_, name, bytes, text) => {
    const parts = { [`word/${name}`]: bytes };
    expect(await textOf(body, parts, { rId9: `aFChunk ${name}` })).toBe(`Before\n\n${text}\n\nAfter`);
  });

  it("of another kind, or that contains itself, is counted", async () => {
    const rtf = { "word/a.rtf": strToU8("{\\rtf1 x}") };
    expect(await notesOf(body, rtf, { rId9: "aFChunk a.rtf" })).toEqual(["Left out: 1 inserted document."]);
    let inner = makeDocx(wordParagraph("Core"));
    for (let depth = 0; depth < 6; depth++)
      inner = docx(body, { "word/a.docx": inner }, { rId9: "aFChunk a.docx" });
    const { text, facts } = await read(inner);
    expect(text.match(/Before/g)).toHaveLength(4);
    expect(facts.notes).toEqual(["Left out: 1 inserted document."]);
  });
});

describe("a Word file of another make", () => {
  it("may have other prefixes and be of the strict kind", async () => {
    const xml = `<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:pPr><x:pStyle x:val="Heading1"/></x:pPr><x:r><x:t>Strict</x:t></x:r></x:p></x:body></x:document>`;
    const { blocks } = await read(docx("", { "word/document.xml": xml }));
    expect(blocks).toMatchObject([{ kind: "heading", level: 1 }]);
  });

  it("may have its main part elsewhere", async () => {
    const parts = {
      "_rels/.rels": `<Relationships><Relationship Id="a" Type="${RELATIONS}/officeDocument" Target="/word/document22.xml"/></Relationships>`,
      "word/document22.xml": `<w:document ${W}><w:body>${p(run("Found"))}</w:body></w:document>`,
    };
    expect((await read(makeZip(parts))).text).toBe("Found");
  });

  it("may be one XML file", async () => {
    const part = (name: string, inner: string) =>
      `<pkg:part pkg:name="${name}" pkg:contentType="x"><pkg:xmlData>${inner}</pkg:xmlData></pkg:part>`;
    const xml = [
      part(
        "/_rels/.rels",
        `<Relationships><Relationship Id="a" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ),
      '<pkg:part pkg:name="/word/media/a.png"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part>',
      part("/word/document.xml", `<w:document ${W}><w:body>${p(run("Flat"))}</w:body></w:document>`),
    ];
    const head = '<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n';
    const file = strToU8(`${head}<pkg:package xmlns:pkg="p">${xml.join("")}</pkg:package>`);
    expect((await read(file, "a.xml")).text).toBe("Flat");
  });

  it("from 2003, in XML, is refused by name", async () => {
    const file = strToU8('<?xml version="1.0"?><w:wordDocument xmlns:w="w"><w:body/></w:wordDocument>');
    await expect(read(file, "a.doc")).rejects.toThrow(
      "This is Word 2003 XML. Save it as .docx and try again.",
    );
  });

  it("may be a web page, alone or as an archive, with the old ending", async () => {
    const page = "<html><body><p>Saved by Word</p></body></html>";
    const archive = `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${page}\r\n--b--\r\n`;
    expect((await read(strToU8(page), "a.doc")).text).toBe("Saved by Word");
    expect(await read(strToU8(archive), "a.doc")).toMatchObject({
      text: "Saved by Word",
      facts: { format: "Web archive" },
    });
  });

  it("with quotes and code keeps them apart", async () => {
    const styles = `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Intense Quote"/></w:style><w:style w:type="paragraph" w:styleId="C"><w:name w:val="HTML Preformatted"/></w:style></w:styles>`;
    const body =
      p(run("Said"), '<w:pStyle w:val="Q"/>') +
      p(run("if (x)"), '<w:pStyle w:val="C"/>') +
      p(run("  y();"), '<w:pStyle w:val="C"/>');
    const { text, blocks } = await read(docx(body, { "word/styles.xml": styles }));
    expect(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
      ["quote", "Said"],
      ["code", "if (x)\n  y();"],
    ]);
  });
});

describe("a hostile Word file", () => {
  it("of half a million elements is read", async () => {
    expect(await textOf(`${"<w:p/>".repeat(500_000)}${p(run("End"))}`)).toBe("End");
  });

  it("of more text than is kept is read up to there, which is said", async () => {
    const { text, facts } = await read(docx(p(run("word ".repeat(10_000))).repeat(110)));
    expect(text.length).toBeGreaterThan(4_990_000);
    expect(facts.notes).toEqual(["Only the first 5,000,000 characters were read."]);
  });

  it("of a million cells in one is refused before they take memory", async () => {
    const row = `<w:tr>${'<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr></w:tc>'.repeat(400)}</w:tr>`;
    await expect(read(docx(`<w:tbl>${row.repeat(100)}</w:tbl>`))).rejects.toThrow(
      "The tables have more than 2,000,000 cells",
    );
  });

  it("that nests text boxes is refused", async () => {
    const deep = "<w:p><w:r><w:txbxContent>".repeat(250) + "</w:txbxContent></w:r></w:p>".repeat(250);
    await expect(read(docx(deep))).rejects.toThrow("nests tables or text boxes more than 200 levels deep");
  });

  it("with numbers beyond all alphabets stays short", async () => {
    const numbering = `<w:numbering ${W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="999999999"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
    const body = p(run("x"), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
    expect(await textOf(body, { "word/numbering.xml": numbering })).toBe("1000000 x");
  });

  it("that refers to one note a thousand times has it once", async () => {
    const notes = `<w:footnotes ${W}><w:footnote w:id="1">${p(run("N".repeat(1000)))}</w:footnote></w:footnotes>`;
    const text = await textOf(p(`${run("x")}<w:r><w:footnoteReference w:id="1"/></w:r>`).repeat(1000), {
      "word/footnotes.xml": notes,
    });
    expect(text.match(/N+/g)).toHaveLength(1);
  });
});
