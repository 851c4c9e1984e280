import { readFileSync } from "node:fs";
import { strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { makeDocx, makeZip, wordParagraph } from "../../../../tests/support/document-files";
import { docx, field, p, R, RELATIONS, run, W } from "../../../../tests/support/word-files";
import { readDocument } from "../index";

const read = (bytes: Uint8Array, name = "a.docx") => readDocument({ bytes, name, contentType: "" });
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

describe("notes and comments", () => {
  const reference = (kind: string, id: number) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;
  const parts = {
    "word/footnotes.xml": `<w:footnotes ${W}><w:footnote w:id="7">${p(run("Foot"))}</w:footnote></w:footnotes>`,
    "word/endnotes.xml": `<w:endnotes ${W}><w:endnote w:id="7">${p(run("End"))}</w:endnote></w:endnotes>`,
    "word/comments.xml": `<w:comments ${W}><w:comment w:id="1">${p(run("Why?"))}${p(run("Ask Ann."))}</w:comment><w:comment w:id="2" w:author="Bo">${p(run("On deleted text"))}</w:comment></w:comments>`,
  };

  it("follow the item, and the paragraph, that they belong to", async () => {
    const numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const body =
      p(run("one") + reference("footnote", 7), numbered) +
      p(run("two"), numbered) +
      p(run("Text") + reference("endnote", 7) + reference("comment", 1)) +
      p(`${run("Last")}<w:del>${reference("comment", 2)}</w:del>`);
    expect(await textOf(body, parts)).toBe(
      "- one[1]\n  [1] Foot\n- two\n\nText[i]\n\n[i] End\n\nComment: Why?\nAsk Ann.\n\nLast\n\nComment by Bo: On deleted text",
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
    expect(
      await textOf(
        p(
          either(
            drawing("<wp:positionH><wp:posOffset>9</wp:posOffset></wp:positionH>"),
            `<w:pict><v:textbox>${box("Older")}</v:textbox></w:pict>`,
          ),
        ),
      ),
    ).toBe("Older");
  });

  it("has the alternative text of both forms once", async () => {
    const shape = either(
      drawing('<wp:docPr descr="The red arrow"/><wp:positionH><wp:posOffset>9</wp:posOffset></wp:positionH>'),
      '<w:pict><v:shape alt="The red arrow"/></w:pict>',
    );
    expect(await textOf(p(shape))).toBe("Image: The red arrow");
  });

  it("has its alternative text, or is counted", async () => {
    const body =
      p(`<w:r>${drawing('<wp:docPr descr="The red valve"/><a:blip/>')}</w:r>`) +
      p(`<w:r>${drawing("<wp:docPr/><a:blip/>")}</w:r>`);
    expect(await textOf(body)).toBe("Image: The red valve");
    expect(await notesOf(body)).toEqual(["Left out: 1 image."]);
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
    ["RTF", "chunk.rtf", strToU8("{\\rtf1\\ansi Caf\\'e9\\par}"), "Café"],
    ["text", "chunk.txt", strToU8("Plain <text>"), "Plain <text>"],
    ["Word", "chunk.docx", makeDocx(wordParagraph("Inner", "Heading1")), "Inner"],
  ])("as %s is read in its place", async (_, name, bytes, text) => {
    const parts = { [`word/${name}`]: bytes };
    expect(await textOf(body, parts, { rId9: `aFChunk ${name}` })).toBe(`Before\n\n${text}\n\nAfter`);
  });

  it("of another kind, or that contains itself, is counted", async () => {
    const binary = { "word/a.dat": strToU8("\x01\0") };
    expect(await notesOf(body, binary, { rId9: "aFChunk a.dat" })).toEqual([
      "Left out: 1 inserted document.",
    ]);
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
