import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../tests/support/document-files";
import { readDocument } from "../index";
import { inReadingOrder } from "./reading-order";

const read = (bytes: Uint8Array, name = "") => readDocument({ bytes, name, contentType: "" });
const relationships = (...items: [id: string, type: string, target: string][]) =>
  `<Relationships>${items.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const paragraph = (text: string, properties = "") => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;

interface ShapeOptions {
  ph?: string;
  at?: [x: number, y: number, width: number, height: number];
  name?: string;
}
function box(content: string, { ph, at, name = "" }: ShapeOptions = {}): string {
  const place = at
    ? `<a:xfrm><a:off x="${at[0]}" y="${at[1]}"/><a:ext cx="${at[2]}" cy="${at[3]}"/></a:xfrm>`
    : "";
  const text = content.startsWith("<") || content === "" ? content : paragraph(content);
  return (
    `<p:sp><p:nvSpPr><p:cNvPr id="1" ${name}/><p:nvPr>${ph === undefined ? "" : `<p:ph ${ph}/>`}</p:nvPr></p:nvSpPr>` +
    `<p:spPr>${place}</p:spPr><p:txBody>${text}</p:txBody></p:sp>`
  );
}
const title = (text: string) => box(text, { ph: 'type="title"' });
const picture = (attributes: string, properties = "", inner = "") =>
  `<p:pic><p:nvPicPr><p:cNvPr id="9" ${attributes}>${inner}</p:cNvPr><p:nvPr>${properties}</p:nvPr></p:nvPicPr></p:pic>`;
const slideXml = (shapes: string, attributes = "") =>
  `<p:sld ${attributes}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/></p:nvGrpSpPr>${shapes}</p:spTree></p:cSld></p:sld>`;

/** A presentation. @param slides XML of each slide; `parts` add or replace parts */
function deck(slides: readonly string[], parts: Record<string, string> = {}): Uint8Array {
  return makeZip({
    "[Content_Types].xml": "<Types/>",
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      ...slides.map((_, at): [string, string, string] => [`rId${at}`, "slide", `slides/slide${at}.xml`]),
    ),
    ...Object.fromEntries(slides.map((xml, at) => [`ppt/slides/slide${at}.xml`, xml])),
    ...parts,
  });
}
const textOf = async (shapes: string, parts?: Record<string, string>) =>
  (await read(deck([slideXml(shapes)], parts))).text;

describe("the slides of the cases", () => {
  it.each([
    ["slides-smartart", "- Call the hotline\n- Inform the shift leader\n- Notify the crisis team"],
    ["slides-chart", "Turnover by region 2031\n\nHamburg | 4711"],
    [
      "slides-alt-text",
      "Inside a group 31\n\nCell 41\n\nImage: Alt text 51: the red valve\n\nNotes: Speaker note 61",
    ],
  ])("are read whole: %s", async (name, text) => {
    const bytes = readFileSync(`tests/fixtures/documents/${name}.pptx`);
    expect((await read(bytes, `${name}.pptx`)).text).toContain(text);
  });
});

describe("a slide", () => {
  it("numbers paragraphs as PowerPoint does, and keeps what has no bullet", async () => {
    const numbered = (text: string, level: number, scheme: string, start = "") =>
      paragraph(text, `<a:pPr lvl="${level}"><a:buAutoNum type="${scheme}" ${start}/></a:pPr>`);
    const body =
      numbered("Open", 0, "arabicPeriod", 'startAt="3"') +
      numbered("left", 1, "alphaLcParenR") +
      numbered("right", 1, "alphaLcParenR") +
      numbered("Close", 0, "arabicPeriod") +
      paragraph("Plain", "<a:pPr><a:buNone/></a:pPr>") +
      numbered("Again", 0, "romanUcParenBoth");
    expect(await textOf(box(body))).toBe(
      "Slide 1\n\n3. Open\n  a) left\n  b) right\n4. Close\nPlain\n(I) Again",
    );
  });

  it.each([
    ["circleNumDbPlain", "① x"],
    ["ea1JpnKorPeriod", "一. x"],
    ["thaiNumParenR", "๑) x"],
    ["hebrew2Minus", "א- x"],
    ["no such scheme", "1. x"],
  ])("numbers by the scheme %s", async (scheme, text) => {
    const numbered = paragraph("x", `<a:pPr><a:buAutoNum type="${scheme}"/></a:pPr>`);
    expect(await textOf(box(numbered))).toBe(`Slide 1\n\n${text}`);
  });

  it("repeats a merged cell in each of its rows", async () => {
    const cell = (text: string, attributes = "") =>
      `<a:tc ${attributes}><a:txBody>${paragraph(text)}</a:txBody></a:tc>`;
    const rows = [
      cell("Region") + cell("Sum"),
      cell("North", 'rowSpan="2"') + cell("1"),
      cell("", 'vMerge="1"') + cell("2"),
    ];
    const table = `<p:graphicFrame><a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join("")}</a:tbl></p:graphicFrame>`;
    expect(await textOf(table)).toContain("Region | Sum\nNorth | 1\nNorth | 2");
  });

  it("reads the first alternative that has content", async () => {
    const alternatives = (choice: string, fallback: string) =>
      `<mc:AlternateContent><mc:Choice Requires="x">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
    const shapes =
      alternatives(box("new"), box("old")) +
      alternatives(box(""), alternatives("", box("older"))) +
      alternatives(box("", { name: 'descr="The model"' }), picture('descr="The model"'));
    expect(await textOf(shapes)).toBe("Slide 1\n\nnew\n\nolder\n\nImage: The model");
  });

  it("has its formulas in a line", async () => {
    const r = (text: string) => `<m:r><a:rPr/><m:t>${text}</m:t></m:r>`;
    const half = `<m:f><m:num>${r("a+b")}</m:num><m:den>${r("2")}</m:den></m:f>`;
    const math = `<a14:m><m:oMathPara><m:oMath>${r("x=")}${half}</m:oMath></m:oMathPara></a14:m>`;
    const formula = box(`<a:p><a:r><a:t>Mean: </a:t></a:r>${math}<a:r><a:t>!</a:t></a:r></a:p>`);
    expect(await textOf(formula)).toBe("Slide 1\n\nMean: x=(a+b)/2!");
  });

  it("reads boxes by their place where the file's order contradicts it", async () => {
    const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="100"/><a:ext cx="90" cy="50"/><a:chOff x="0" y="0"/><a:chExt cx="9" cy="5"/></a:xfrm></p:grpSpPr>${box("inner 2", { at: [0, 3, 9, 2] })}${box("inner 1", { at: [0, 0, 9, 2] })}</p:grpSp>`;
    const layout = `<p:sldLayout><p:cSld><p:spTree>${box("Prompt", { ph: 'type="body" idx="4"', at: [0, 50, 90, 40] })}</p:spTree></p:cSld></p:sldLayout>`;
    const text = await textOf(
      box("third", { at: [0, 200, 90, 40] }) + group + box("first", { ph: 'idx="4"' }) + title("Steps"),
      {
        "ppt/slides/_rels/slide0.xml.rels": relationships([
          "r",
          "slideLayout",
          "../slideLayouts/slideLayout1.xml",
        ]),
        "ppt/slideLayouts/slideLayout1.xml": layout,
      },
    );
    expect(text).toBe("Steps\n\nfirst\n\ninner 1\n\ninner 2\n\nthird");
  });

  it("says what it leaves out", async () => {
    const object = `<p:graphicFrame><a:graphicData><p:oleObj r:id="x">${picture("")}</p:oleObj></a:graphicData></p:graphicFrame>`;
    const decorative = '<a:extLst><a:ext><adec:decorative val="1"/></a:ext></a:extLst>';
    const shapes = [
      title("Media"),
      picture('descr="valve.png"'),
      picture(""),
      picture("", "", decorative),
      picture("", '<a:videoFile r:link="x"/>'),
      object,
    ];
    expect((await read(deck([slideXml(shapes.join(""))]))).facts.notes).toEqual([
      "Left out: 2 images, 1 video or sound, 1 embedded object.",
    ]);
  });

  it("without content but for its number is no page of the text", async () => {
    const number = box('<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>');
    const { blocks } = await read(deck([slideXml(number), slideXml(title("Second"))]));
    expect(blocks).toMatchObject([{ kind: "heading", page: 2 }]);
  });
});

describe("a presentation", () => {
  it("has footers and the layout's text once", async () => {
    const date = '<a:p><a:fld type="datetime1"><a:t>1/1/2031</a:t></a:fld></a:p>';
    const slide = (name: string, attributes = "") =>
      slideXml(
        title(name) + box("Confidential", { ph: 'type="ftr"' }) + box(date, { ph: 'type="dt"' }),
        attributes,
      );
    const rels = relationships(["r", "slideLayout", "/ppt/slideLayouts/slideLayout1.xml"]);
    const parts = {
      "ppt/slides/_rels/slide0.xml.rels": rels,
      "ppt/slides/_rels/slide1.xml.rels": rels,
      "ppt/slides/_rels/slide2.xml.rels": rels,
      "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relationships([
        "r",
        "slideMaster",
        "../slideMasters/m.xml",
      ]),
      "ppt/slideLayouts/slideLayout1.xml": `<p:sldLayout><p:spTree>${title("Click to add title")}${box("Ministry")}</p:spTree></p:sldLayout>`,
      "ppt/slideMasters/m.xml": `<p:sldMaster><p:spTree>${box("of the Sea")}</p:spTree></p:sldMaster>`,
    };
    const { text } = await read(
      deck(
        [slide("One", 'showMasterSp="0"'), slide("Two"), slide("Three")].map((xml, at) =>
          at === 0 ? xml : xml,
        ),
        parts,
      ),
    );
    expect(text).toBe("One\n\nConfidential\n\nTwo\n\nMinistry\n\nof the Sea\n\nThree");
  });

  it("says which of its slides are hidden", async () => {
    const { text, facts } = await read(deck([slideXml(title("Shown")), slideXml(title("Kept"), 'show="0"')]));
    expect(text).toBe("Shown\n\nKept");
    expect(facts.notes).toEqual(["Hidden slides were read, too: 2."]);
  });

  it("has the comments of old and new versions, marked as such", async () => {
    const parts = {
      "ppt/_rels/presentation.xml.rels": relationships(
        ["rId0", "slide", "slides/slide0.xml"],
        ["a1", "commentAuthors", "commentAuthors.xml"],
        ["a2", "authors", "authors.xml"],
      ),
      "ppt/commentAuthors.xml": '<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>',
      "ppt/authors.xml": '<p188:authorLst><p188:author id="{B}" name="Bob"/></p188:authorLst>',
      "ppt/slides/_rels/slide0.xml.rels": relationships(
        ["c1", "comments", "../comments/comment1.xml"],
        ["c2", "comments", "../comments/modernComment_1.xml"],
      ),
      "ppt/comments/comment1.xml":
        '<p:cmLst><p:cm authorId="0"><p:text>June is safer</p:text></p:cm></p:cmLst>',
      "ppt/comments/modernComment_1.xml": `<p188:cmLst><p188:cm authorId="{B}"><p188:txBody>${paragraph("Why?")}</p188:txBody></p188:cm></p188:cmLst>`,
    };
    expect((await read(deck([slideXml(title("Plan"))], parts))).text).toBe(
      "Plan\n\nComment by Ada: June is safer\n\nComment by Bob: Why?",
    );
  });

  it("may use other prefixes, as strict files do", async () => {
    const bytes = deck([], {
      "ppt/presentation.xml": '<presentation><sldIdLst><sldId id="256" q:id="x"/></sldIdLst></presentation>',
      "ppt/_rels/presentation.xml.rels": relationships(["x", "slide", "slides/a.xml"]),
      "ppt/slides/a.xml":
        "<sld><cSld><spTree><sp><txBody><d:p><d:r><d:t>Strict</d:t></d:r></d:p></txBody></sp></spTree></cSld></sld>",
    });
    expect((await read(bytes)).text).toBe("Slide 1\n\nStrict");
  });

  it("of groups in one another is read", async () => {
    const deep = "<p:grpSp>".repeat(50_000) + box("deep") + "</p:grpSp>".repeat(50_000);
    expect(await textOf(deep)).toBe("Slide 1\n\ndeep");
  });
});

describe("reading order", () => {
  const at = (name: string, x: number, y: number, width = 10, height = 10) => ({
    name,
    place: { x, y, width, height },
  });
  const namesOf = (items: { name: string }[]) => items.map(({ name }) => name).join(" ");

  it("keeps columns, rows and what overlaps as the file has them", () => {
    const columns = [at("a", 0, 0), at("b", 0, 20), at("c", 20, 0), at("d", 20, 20)];
    expect(namesOf(inReadingOrder(columns))).toBe("a b c d");
    const rows = [at("a", 0, 0), at("c", 20, 0), at("b", 0, 20), at("d", 20, 20)];
    expect(namesOf(inReadingOrder(rows))).toBe("a c b d");
    expect(namesOf(inReadingOrder([at("over", 5, 5), at("under", 0, 0, 30, 30)]))).toBe("over under");
  });

  it("goes down and then to the side, from the right where the language does", () => {
    expect(namesOf(inReadingOrder([at("low", 0, 20), at("right", 20, 0), at("left", 0, 0)]))).toBe(
      "left low right",
    );
    expect(namesOf(inReadingOrder([at("left", 0, 0), at("right", 20, 0)], true))).toBe("right left");
  });

  it("leaves what has no place where it is", () => {
    expect(namesOf(inReadingOrder([{ name: "x" }, at("low", 0, 20), at("high", 0, 0)] as never[]))).toBe(
      "x high low",
    );
  });
});
