import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeWorkbook, sheetRow } from "../../../../tests/support/sheet-files";
import { readDocument } from "../index";

const read = (bytes: Uint8Array, name = "book.xlsx") => readDocument({ bytes, name, contentType: "" });
const textOf = async (bytes: Uint8Array) => (await read(bytes)).text;
const readCase = (name: string) => read(readFileSync(`tests/fixtures/documents/${name}`), name);

const one = (rows: string, rest = "") => [{ rows, rest }];
const inline = (text: string) => `<is><t>${text}</t></is>`;

describe("a cell of a sheet", () => {
  it("has its time in each quarter of an hour", async () => {
    const { text } = await readCase("excel-minutes.xlsx");
    const slots = [...text.matchAll(/^T(\d\d)(\d\d) \| 2024-03-15 (.*)$/gm)];
    expect(slots).toHaveLength(96);
    expect(slots.map(([, , , time]) => time)).toEqual(
      slots.map(([, hours, minutes]) => `${hours}:${minutes}`),
    );
  });

  it("shows times, durations, percentages and leading zeros as its format does", async () => {
    const { text } = await readCase("excel-times-percent.xlsx");
    expect(text.split("\n").slice(-2)).toEqual([
      "S1 | 07:45 | 26:30 | 10% | 1299.50 € | 12345678901234600 | 01067 | TRUE",
      "S2 | 18:05 | 00:50:00 | 7.5% | -20 | 5 | 01067 | FALSE",
    ]);
  });

  it("has its date in each format, those with a number below 164 too", async () => {
    const { text } = await readCase("excel-date-formats.xlsx");
    expect(text.match(/\| 2024-03-15/g)).toHaveLength(4);
  });

  it("has a date by the workbook's calendar", async () => {
    const formats = [[14], [22], [20]] as const;
    const cells = '<row><c s="1"><v>43904</v></c><c s="2"><v>43904.5</v></c><c s="3"><v>0.5</v></c></row>';
    expect(await textOf(makeWorkbook(one(cells), { formats, is1904: true }))).toBe(
      "2024-03-15 | 2024-03-15 12:00 | 12:00",
    );
  });

  it("has the date that a strict file writes as such", async () => {
    const cell = (value: string, style: number) => `<c t="d" s="${style}"><v>${value}</v></c>`;
    const values = ["2024-03-15", "2024-03-15T07:45:00Z", "07:45:00"];
    const row = `<row>${values.map((value, at) => cell(value, at + 1) + cell(value, 0)).join("")}</row>`;
    const bytes = makeWorkbook(one(row), { formats: [[14], [22], [20]], isStrict: true });
    expect(await textOf(bytes)).toBe(
      "2024-03-15 | 2024-03-15 | 2024-03-15 07:45 | 2024-03-15 07:45:00 | 07:45 | 07:45:00",
    );
  });

  it("has a text of runs without the readings above it, and a result, a truth or an error", async () => {
    const reading = '<rPh sb="0" eb="2"><t>とうきょう</t></rPh><phoneticPr fontId="1"/>';
    const strings = [
      `<r><t>東</t></r><r><t xml:space="preserve">京 </t></r>${reading}`,
      "<t>a_x000A_b_x005F_c</t>",
    ];
    const cells = [
      '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>9</v></c>',
      `<c t="inlineStr"><is><r><t>in</t></r>${reading}<r><t>line</t></r></is></c>`,
      '<c t="str"><f>A1&amp;"x"</f><v>result</v></c><c><f>1+1</f><v>2</v></c>',
      '<c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>',
    ];
    expect(await textOf(makeWorkbook(one(`<row>${cells.join("")}</row>`), { strings }))).toBe(
      "東京 | a b_c | inline | result | 2 | TRUE | #N/A",
    );
  });

  it("is missed where its formula was never calculated", async () => {
    const { text, facts } = await read(makeWorkbook(one("<row><c><v>1</v></c><c><f>A1+1</f></c></row>")));
    expect(text).toBe("1");
    expect(facts.notes).toEqual(["Left out: 1 formula that was never calculated."]);
  });

  it("names the address that it links to", async () => {
    const cells = ["Manual", "https://example.org/b", "Ada", "There"].map(
      (text) => `<c t="inlineStr">${inline(text)}</c>`,
    );
    const formula =
      '<c t="str"><f>HYPERLINK("https://example.org/f","Form")</f><v>Form</v></c><c t="str"><f>HYPERLINK("#Sheet2!A1","Own")</f><v>Own</v></c>';
    const links = ["A1", "B1", "C1"].map((ref, at) => `<hyperlink ref="${ref}" r:id="l${at}"/>`);
    const rest = `<hyperlinks>${links.join("")}<hyperlink ref="D1" location="Sheet2!A1"/></hyperlinks>`;
    const relations = [
      "https://example.org/a?b=1&c=2",
      "https://example.org/b",
      "mailto:ada@example.org?subject=x",
    ].map((target, at) => [`l${at}`, "hyperlink", target] as const);
    const rows = `<row r="1">${cells.join("")}${formula}</row>`;
    expect(await textOf(makeWorkbook([{ rows, rest, relations }]))).toBe(
      "Manual (https://example.org/a?b=1&c=2) | https://example.org/b | Ada (ada@example.org) | There | Form (https://example.org/f) | Own",
    );
  });
});

describe("the rows of a sheet", () => {
  it.each(["excel-no-cell-reference.xlsx", "excel-zip-comment.xlsx"])("are read from %s", async (name) => {
    const { text } = await readCase(name);
    for (const word of ["Kiel", "Lübeck", "Husum", "30"]) expect(text).toContain(word);
  });

  it("are read where only some cells have a reference", async () => {
    const row =
      '<row r="2"><c r="B2"><v>1</v></c><c><v>2</v></c><c r="A2"><v>3</v></c></row><row><c r="C9"><v>4</v></c></row>';
    expect(await textOf(makeWorkbook(one(`${sheetRow(["a", "b", "c", "d"])}${row}`)))).toBe(
      "a | b | c | d\n | 1 | 2 | 3\n |  | 4",
    );
  });

  it("each name the merged cell that they belong to", async () => {
    const { text } = await readCase("excel-merged.xlsx");
    expect(text).toContain("Region Nord | Kiel | 10\nRegion Nord | Lübeck | 20\nRegion Nord | Husum | 30");
  });

  it("don't repeat a merged cell where they are empty, have their own text, or it is long", async () => {
    const long = "x".repeat(201);
    const rows = `<row r="1"><c r="A1" t="inlineStr">${inline("North")}</c><c r="B1" t="inlineStr">${inline(long)}</c><c r="C1"><v>1</v></c></row>
      <row r="2"><c r="A2" t="inlineStr">${inline("South")}</c><c r="C2"><v>2</v></c></row><row r="4"><c r="C4"><v>4</v></c></row>`;
    const rest = '<mergeCells><mergeCell ref="A1:A4"/><mergeCell ref="B1:B4"/></mergeCells>';
    expect(await textOf(makeWorkbook(one(rows, rest)))).toBe(
      `North | ${long} | 1\nSouth |  | 2\n\nNorth | 4`,
    );
  });

  it("below their title are a table with a header", async () => {
    const rows = [["Turnover by region"], ["Region", "Turnover"], ["North", 3]].map((row) => sheetRow(row));
    const { blocks } = await read(makeWorkbook(one(rows.join(""))));
    expect(blocks.map(({ kind, header }) => [kind, header])).toEqual([
      ["paragraph", undefined],
      ["table", true],
    ]);
  });

  it("that are hidden are read, which the document says", async () => {
    const rows = `<row hidden="1"><c><v>1</v></c></row>`;
    const seen = [{ rows: sheetRow(["seen"]), start: '<cols><col min="2" max="9" hidden="1"/></cols>' }];
    expect((await read(makeWorkbook(one(rows)))).facts.notes).toEqual([
      "Hidden rows and columns were read, too.",
    ]);
    expect((await read(makeWorkbook(seen))).facts.notes).toBeUndefined();
    const column = [{ rows: sheetRow(["a", "b"]), start: '<cols><col min="2" max="9" hidden="1"/></cols>' }];
    expect(await read(makeWorkbook(column))).toMatchObject({
      text: "a | b",
      facts: { notes: ["Hidden rows and columns were read, too."] },
    });
  });
});

describe("a sheet", () => {
  it("has notes, with their cell and its row", async () => {
    const { text } = await readCase("excel-cell-note.xlsx");
    expect(text).toContain("Note on B1 (Budget | 5000): Approved by the board on 2 May");
  });

  it("has comments and their replies in place of the notes that stand for them", async () => {
    const comments =
      "<comments><authors><author>tc={1}</author><author>Bo</author></authors><commentList>" +
      '<comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version of Excel …</t></text></comment>' +
      '<comment ref="ZZ90" authorId="1"><text><r><t>Far </t></r><r><t>away</t></r></text></comment></commentList></comments>';
    const threads =
      '<ThreadedComments><threadedComment ref="A1" personId="{7}" id="{1}"><text>Is this final?</text></threadedComment>' +
      '<threadedComment ref="A1" personId="{8}" id="{2}" parentId="{1}"><text>Yes, since 2 May</text></threadedComment></ThreadedComments>';
    const bytes = makeWorkbook(
      [
        {
          rows: sheetRow(["Budget", 5000]),
          relations: [
            ["c", "comments", "../comments1.xml"],
            ["t", "threadedComment", "../threadedComments/threadedComment1.xml"],
          ],
        },
      ],
      {
        relations: [["p", "person", "persons/person.xml"]],
        parts: {
          "xl/comments1.xml": comments,
          "xl/threadedComments/threadedComment1.xml": threads,
          "xl/persons/person.xml": '<personList><person id="{7}" displayName="Ada"/></personList>',
        },
      },
    );
    expect((await textOf(bytes)).split("\n\n").slice(1)).toEqual([
      "Note on ZZ90: Far away",
      "Comment by Ada on A1 (Budget | 5000): Is this final?",
      "Comment on A1 (Budget | 5000): Yes, since 2 May",
    ]);
  });

  it.each([
    [
      "a title, which is above the first column",
      "Turnover 2031",
      "",
      "Turnover 2031\n\nKiel | 10\nHusum | 30",
    ],
    ["a title above a header", "", "Turnover 2031", "Turnover 2031\n\nCity | Sum\nKiel | 10\nHusum | 30"],
    ["the name of another column, which belongs to the table", "", "Sum", "| Sum\nKiel | 10\nHusum | 30"],
  ])("may have a lone cell above a table: %s", async (_, first, second, text) => {
    const rows = [
      ["Kiel", 10],
      ["Husum", 30],
    ];
    const header = text.includes("City") ? [["City", "Sum"]] : [];
    const lines = [[first, second], ...header, ...rows].map((cells) => sheetRow(cells));
    expect(await textOf(makeWorkbook([{ name: "Sheet1", rows: lines.join("") }]))).toBe(text);
  });

  it("has text boxes, images, and titles and series of charts", async () => {
    const box =
      "<xdr:sp><xdr:txBody><a:p><a:r><a:t>Mind the </a:t></a:r><a:r><a:t>gap</a:t></a:r></a:p><a:p><a:r><a:t>Ada</a:t></a:r></a:p></xdr:txBody></xdr:sp>";
    const pictures =
      '<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="Picture 1" descr="The red valve"/></xdr:nvPicPr></xdr:pic>' +
      '<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="Picture 2"/></xdr:nvPicPr></xdr:pic>';
    const frame =
      '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame>';
    const fallback = `<mc:AlternateContent><mc:Choice>${frame}</mc:Choice><mc:Fallback>${box.replace("gap", "other gap")}</mc:Fallback></mc:AlternateContent>`;
    const slicer =
      '<mc:AlternateContent><mc:Choice><xdr:graphicFrame><sle:slicer name="Region"/></xdr:graphicFrame></mc:Choice>' +
      `<mc:Fallback>${box.replace("gap", "slicer")}</mc:Fallback></mc:AlternateContent>`;
    const chart =
      '<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Turnover</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North 2031</c:v></c:pt></c:strCache></c:strRef></c:tx>' +
      '<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4711</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>';
    const drawn = {
      rest: '<drawing r:id="d"/>',
      relations: [["d", "drawing", "../drawings/drawing1.xml"]] as const,
    };
    const parts = {
      "xl/drawings/drawing1.xml": `<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:c="c" xmlns:r="r" xmlns:mc="mc" xmlns:sle="sle">${box}${pictures}${fallback}${slicer}</xdr:wsDr>`,
      "xl/drawings/_rels/drawing1.xml.rels":
        '<Relationships><Relationship Id="rId1" Type="http://x/chart" Target="../charts/chart1.xml"/></Relationships>',
      "xl/charts/chart1.xml": chart,
    };
    const sheets = [
      { name: "Data", rows: sheetRow(["a"]) },
      // A chart on a sheet of its own has no cells.
      { name: "Chart", type: "chartsheet", ...drawn },
      { name: "Again", ...drawn },
      { name: "Macro", type: "xlMacrosheet", rows: sheetRow(["=HALT()"]) },
    ];
    const { text, facts } = await read(makeWorkbook(sheets, { parts }));
    expect(text.split("\n\n")).toEqual([
      "Data",
      "a",
      "Chart",
      "Mind the gap\nAda",
      "Image: The red valve",
      "Turnover\nNorth 2031",
    ]);
    expect(facts).toMatchObject({
      sheets: ["Data", "Chart", "Again", "Macro"],
      notes: ["Left out: 1 image, 1 macro sheet."],
    });
  });

  it("has its header and footer once, without page numbers", async () => {
    const margins =
      '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret &amp;&amp; safe&amp;RQP-0071</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter></headerFooter>';
    const sheets = ["One", "Two"].map((name) => ({ name, rows: sheetRow([name.length]), rest: margins }));
    expect(await textOf(makeWorkbook(sheets))).toBe("One\n\n3\n\nSecret & safe | QP-0071\n\nTwo\n\n3");
  });

  it("that is hidden is read, which the document says", async () => {
    const sheets = [
      { name: "Plan", rows: sheetRow(["a"]) },
      { name: "Lists", rows: sheetRow(["b"]), state: "veryHidden" },
    ];
    expect(await read(makeWorkbook(sheets))).toMatchObject({
      text: "Plan\n\na\n\nLists\n\nb",
      facts: { notes: ["Hidden sheets were read, too: Lists."] },
    });
  });

  it("of a strict file is read", async () => {
    expect(await textOf(makeWorkbook(one(sheetRow(["Kiel", 3])), { isStrict: true }))).toBe("Kiel | 3");
  });
});

describe("a workbook beyond the limits", () => {
  it("is read to the last row", async () => {
    const { text, facts } = await read(makeWorkbook(one("<row><c><v>7</v></c></row>".repeat(100_001))));
    expect(text).toHaveLength(100_000 + 99_999 * 2);
    expect(facts.notes).toEqual(["Only the first 100,000 rows were read."]);
  });

  it("is read to the last character, and its sheets once", async () => {
    const rows = sheetRow(["x".repeat(30_000), 5]).repeat(100);
    const sheets = [{ rows }, { rows }, { rows: sheetRow(["lost"]) }];
    const { text, facts } = await read(makeWorkbook(sheets));
    expect(text.length).toBeLessThanOrEqual(5_000_000);
    expect(facts.notes).toEqual(["Only the first 5,000,000 characters were read."]);
  });

  it("whose sheet is listed again and again is read once", async () => {
    const listed = '<sheet name="A" r:id="rId1"/>'.repeat(2000);
    const parts = {
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${listed}</sheets></workbook>`,
    };
    expect((await read(makeWorkbook(one(sheetRow(["a"])), { parts }))).facts.sheets).toEqual(["A"]);
  });
});
