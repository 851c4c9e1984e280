import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

const read = (parts: Record<string, string>, name = "a.odt") =>
  readDocument({
    bytes: makeZip({ mimetype: "application/vnd.oasis.opendocument.text", ...parts }),
    name,
    contentType: "",
  });
const content = (kind: string, body: string, styles = "") =>
  `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
const p = (text: string) => `<text:p>${text}</text:p>`;
const textOf = async (kind: string, body: string, styles?: string) =>
  (await read({ "content.xml": content(kind, body, styles) })).text;
const cell = (text: string, attributes = "") =>
  `<table:table-cell ${attributes}>${text && p(text)}</table:table-cell>`;
const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
const level = (at: number, format: string, suffix: string, shown = 1) =>
  `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix="${suffix}" text:display-levels="${shown}"/>`;

describe("an OpenDocument text", () => {
  it("has headings, paragraphs, notes and comments", async () => {
    const body =
      '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="2">Tides</text:h>' +
      p(
        'High<text:s text:c="2"/>water<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>At noon.</text:p></text:note-body></text:note> comes<text:line-break/>twice' +
          "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2031-01-01</dc:date><text:p>June is safer</text:p></office:annotation>.",
      );
    expect(await textOf("text", body)).toBe(
      "Tides\n\nHigh  water[1] comes\ntwice.\n\n[1] At noon.\n\nComment by Ada: June is safer",
    );
  });

  it("numbers lists and headings as it shows them", async () => {
    const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
    const lists =
      `<text:list text:style-name="L">${item(`${p("Open")}<text:list>${item(p("left"))}${item(p("right") + p("more"))}</text:list>`)}${item(p("Close"))}</text:list>` +
      p("Between") +
      `<text:list text:style-name="L" text:continue-numbering="true">${item(p("Again"))}</text:list><text:list>${item(p("Plain"))}</text:list>`;
    const styles = `<text:list-style style:name="L">${level(1, "1", ".")}${level(2, "a", ")", 2)}</text:list-style>`;
    const outline = `<office:document-styles><text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/></text:outline-style></office:document-styles>`;
    const { text } = await read({
      "content.xml": content(
        "text",
        `<text:h text:outline-level="1">First</text:h>${lists}<text:h text:outline-level="1">Second</text:h>`,
        styles,
      ),
      "styles.xml": outline,
    });
    expect(text).toBe(
      "I. First\n\n1. Open\n  1.a) left\n  1.b) right\n    more\n2. Close\n\nBetween\n\n3. Again\n\n- Plain\n\nII. Second",
    );
  });

  it("has its headers and footers once, and images by their alternative text", async () => {
    const { text, title, facts } = await read({
      "content.xml": content(
        "text",
        p(
          "Text.<draw:frame><draw:image/><svg:title>the red valve</svg:title></draw:frame><draw:frame><draw:image/></draw:frame>",
        ),
      ),
      "styles.xml": `<office:document-styles><style:header>${p("QP-0071")}</style:header><style:footer>${p("Page <text:page-number>7</text:page-number>")}</style:footer><style:header-left>${p("QP-0071")}</style:header-left></office:document-styles>`,
      "meta.xml":
        "<office:document-meta><dc:title>Manual</dc:title><meta:initial-creator>Ada</meta:initial-creator></office:document-meta>",
    });
    expect(text).toBe("Text.\n\nImage: the red valve\n\nQP-0071\n\nPage");
    expect(title).toBe("Manual");
    expect(facts).toEqual({
      format: "OpenDocument text",
      author: "Ada",
      notes: ["Left out: 1 image."],
    });
  });

  it("reads text boxes, tables, charts and formulas in it", async () => {
    const { text } = await read({
      "content.xml": content(
        "text",
        p(`Before<draw:frame><draw:text-box>${p("In a box")}</draw:text-box></draw:frame> after`) +
          `<table:table>${row(cell("Month"), cell("Hours"))}${row(cell("May"), cell("9"))}</table:table>` +
          '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame><draw:frame><draw:object xlink:href="./Object 2"/></draw:frame>',
      ),
      "Object 1/content.xml": content(
        "chart",
        `<chart:title>${p("Turnover 2031")}</chart:title><table:table table:name="local-table">${row(cell("", 'office:value-type="string"'), cell("Sum"))}${row(cell("Hamburg"), cell("", 'office:value="4711"'))}</table:table>`,
      ),
      "Object 2/content.xml":
        "<math><semantics><mi>E</mi><annotation>E = m c^2</annotation></semantics></math>",
    });
    expect(text).toBe(
      "Before after\n\nIn a box\n\nMonth | Hours\nMay | 9\n\nTurnover 2031\n\n| Sum\nHamburg | 4711\n\nE = m c^2",
    );
  });
});

describe("an OpenDocument spreadsheet", () => {
  const sheet = (name: string, ...rows: string[]) =>
    `<table:table table:name="${name}">${rows.join("")}</table:table>`;

  it("is read sheet by sheet: as shown, dates as ISO ones, merged cells in each row", async () => {
    const covered = "<table:covered-table-cell/>";
    const body =
      sheet(
        "Prices",
        row(cell("Prices 2024")),
        row(cell("Region"), cell("Share"), cell("Day")),
        row(
          cell("Nord", 'table:number-rows-spanned="2"'),
          cell("10 %", 'office:value="0.1"'),
          cell("15.3.24", 'office:date-value="2024-03-15T00:00:00"'),
        ),
        row(covered, cell("07:45"), cell("", 'office:value="3"')),
        row(cell("", 'table:number-columns-repeated="16384"')),
        row(cell("Alone")),
      ) +
      sheet("Empty") +
      sheet("Notes", row(cell("Closed")));
    const { text, facts, blocks } = await read({ "content.xml": content("spreadsheet", body) });
    expect(text).toBe(
      "Prices\n\nPrices 2024\n\nRegion | Share | Day\nNord | 10 % | 2024-03-15\nNord | 07:45 | 3\n\nAlone\n\nNotes\n\nClosed",
    );
    expect(facts).toEqual({
      format: "OpenDocument spreadsheet",
      pages: 3,
      sheets: ["Prices", "Empty", "Notes"],
    });
    expect(blocks[2]).toMatchObject({ kind: "table", header: true });
    expect(blocks.at(-1)?.page).toBe(3);
  });

  it("that repeats cells and rows without end is cut, and says so", async () => {
    const repeated = `<table:table-row table:number-rows-repeated="1048576">${cell("x", 'table:number-columns-repeated="16384"')}</table:table-row>`;
    const empty = `<table:table-row table:number-rows-repeated="1048576">${cell("", 'table:number-columns-repeated="16384"')}</table:table-row>`;
    const { facts, text } = await read({
      "content.xml": content("spreadsheet", sheet("Big", empty, row(cell("first"), cell("a")), repeated)),
    });
    expect(text.startsWith("Big\n\nfirst | a\nx | x")).toBe(true);
    expect(facts.notes).toContain("Only the first rows and cells of the tables were read.");
  });
});

describe("an OpenDocument presentation", () => {
  it("is read page by page, by place, with notes and without prompts", async () => {
    const frame = (text: string, attributes = "") =>
      `<draw:frame ${attributes}><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;
    const at = (y: number) => `svg:x="1cm" svg:y="${y}cm" svg:width="5cm" svg:height="1cm"`;
    const body =
      `<draw:page draw:name="p1">${frame("low", at(9))}${frame("high", at(3))}${frame("Tides", 'presentation:class="title"')}` +
      `${frame("Click to add", 'presentation:placeholder="true"')}<presentation:notes>${frame("Say it slowly.")}</presentation:notes></draw:page>` +
      `<draw:page draw:name="p2" draw:style-name="dp">${frame("Kept")}</draw:page>`;
    const styles =
      '<style:style style:name="dp"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
    const { text, facts } = await read({ "content.xml": content("presentation", body, styles) });
    expect(text).toBe("Tides\n\nhigh\n\nlow\n\nNotes: Say it slowly.\n\nSlide 2\n\nKept");
    expect(facts).toEqual({
      format: "OpenDocument presentation",
      pages: 2,
      notes: ["Hidden slides were read, too: 2."],
    });
  });
});

describe("an OpenDocument file", () => {
  it.each(["content.xml", "encrypted-package"])("with a password is refused, by its %s", async (part) => {
    await expect(read({ [part]: "\x93\x01random" })).rejects.toThrow("password-protected");
  });

  it("of lists in one another is read", async () => {
    const deep =
      "<text:list><text:list-item>".repeat(20_000) +
      p("deep") +
      "</text:list-item></text:list>".repeat(20_000);
    expect(await textOf("text", deep)).toContain("- deep");
  });
});
