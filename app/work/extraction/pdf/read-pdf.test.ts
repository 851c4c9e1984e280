import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeEncryptedPdf, makePdf } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

const read = (bytes: Uint8Array) => readDocument({ bytes, name: "a.pdf", contentType: "" });
async function blocksOf(bytes: Uint8Array) {
  const { text, blocks } = await read(bytes);
  return blocks.map(({ kind, start, end, page, level }) => [
    level ? `${kind} ${level}` : kind,
    text.slice(start, end),
    page,
  ]);
}
/** Lines of text of one paragraph, from a height downwards. */
const lines = (
  texts: readonly string[],
  y: number,
  facts: { size?: number; x?: number; bold?: boolean } = {},
) => texts.map((text, at) => ({ text, y: y - at * 14, ...facts }));

const fixture = (name: string) => readFileSync(`tests/fixtures/documents/${name}`);

const LONG = [
  "The keeper of the lighthouse wrote down the weather every hour, for",
  "forty years, without missing a single night, and his books were kept",
  "in the attic of the harbour office until a student found them there.",
];

describe("a PDF", () => {
  it("is read as paragraphs under headings, with page numbers", async () => {
    const bytes = makePdf([
      [
        { text: "Weather Books", size: 22, y: 780 },
        ...lines(LONG, 740),
        ...lines(["They fill two shelves."], 670),
      ],
      [{ text: "Storms", size: 16, y: 700 }, ...lines(LONG, 660)],
    ]);
    expect(await blocksOf(bytes)).toEqual([
      ["heading 1", "Weather Books", 1],
      ["paragraph", LONG.join(" "), 1],
      ["paragraph", "They fill two shelves.", 1],
      ["heading 2", "Storms", 2],
      ["paragraph", LONG.join(" "), 2],
    ]);
  });

  it("is read with hyphenated words joined and sentences continued across pages", async () => {
    const bytes = makePdf([
      lines(["The light was seen at a great dis-", "tance from the har-"], 120),
      lines(["bour, and was never out."], 700),
    ]);
    expect(await blocksOf(bytes)).toEqual([
      ["paragraph", "The light was seen at a great distance from the harbour, and was never out.", 1],
    ]);
  });

  it("is read with separate bold lines as headings", async () => {
    const bytes = makePdf([
      [
        ...lines(["Opening hours"], 760, { bold: true }),
        ...lines(LONG, 740),
        ...lines(["How to get there"], 670, { bold: true }),
        ...lines(LONG, 650),
      ],
    ]);
    expect((await blocksOf(bytes)).map(([kind]) => kind)).toEqual([
      "heading 1",
      "paragraph",
      "heading 1",
      "paragraph",
    ]);
  });

  it("is read with lists, and rows of cells as tables", async () => {
    const bytes = makePdf([
      [
        ...lines(["\x95 wind", "\x95 rain and"], 760),
        { text: "hail", x: 84, y: 732 },
        { text: "Month", y: 690 },
        { text: "Storms", x: 200, y: 690 },
        { text: "May", y: 670 },
        { text: "3", x: 200, y: 670 },
        { text: "June", y: 650 },
        { text: "1", x: 200, y: 650 },
      ],
    ]);
    expect(await blocksOf(bytes)).toEqual([
      ["list", "- wind\n- rain and hail", 1],
      ["table", "Month | Storms\nMay | 3\nJune | 1", 1],
    ]);
  });

  it("reports its own title, author and date, but no file name", async () => {
    const page = [[{ text: "Text", y: 700 }]];
    const info = (entries: string) =>
      makePdf(page, { objects: [`<< ${entries} >>`], trailer: "/Info 7 0 R" });
    expect(await read(info("/Title (Tides) /Author (Ada) /CreationDate (D:20240131120000Z)"))).toMatchObject({
      title: "Tides",
      facts: { format: "PDF", pages: 1, author: "Ada", created: "2024-01-31" },
    });
    expect((await read(info("/Title (Microsoft Word - tides.docx)"))).title).toBe("");
  });

  it("names its pages that are pictures, not those that are blank", async () => {
    const drawn = { dictionary: "", data: Buffer.from("0 0 595 842 re f") };
    const blank = { dictionary: "", data: Buffer.alloc(0) };
    const text = { dictionary: "", data: Buffer.from("BT /F1 11 Tf 72 700 Td (Text) Tj ET") };
    const of = (...contents: (typeof drawn)[]) =>
      makePdf(
        contents.map(() => []),
        { content: (at) => contents[at] ?? blank },
      );
    expect((await read(of(text, blank, drawn, text, drawn, drawn, drawn))).facts).toMatchObject({
      imagePages: [3, 5, 6, 7],
      notes: [
        "Pages 3, 5 to 7 are pictures without text. Run text recognition (OCR) on the file and add it again.",
      ],
    });
    await expect(read(of(drawn))).rejects.toThrow(
      "Page 1 is a picture without text. Run text recognition (OCR) on the file and add it again.",
    );
    await expect(read(of(blank))).rejects.toThrow(/^No text was found in this document/);
  });

  it("is read as a picture where a scan has text in its margins alone, and as text above an OCR layer", async () => {
    const picture = "q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q BT /F1 11 Tf 3 Tr";
    const scan = (y: number) =>
      makePdf([[]], {
        content: () => ({ dictionary: "", data: Buffer.from(`${picture} 72 ${y} Td (Text 17) Tj ET`) }),
      });
    expect((await read(scan(20))).facts.imagePages).toEqual([1]);
    const noted = makePdf([[]], {
      content: () => ({ dictionary: "", data: Buffer.from("0 0 595 842 re f") }),
      page: () => "/Annots [7 0 R]",
      objects: ["<< /Type /Annot /Subtype /Text /Rect [9 9 9 9] /Contents (Check) >>"],
    });
    expect((await read(noted)).facts.imagePages).toEqual([1]);
    const { text, facts } = await read(scan(400));
    expect([text, facts.imagePages]).toEqual(["Text 17", undefined]);
  });

  it("takes over what was recognized of its pages that are pictures, and says how each went", async () => {
    const drawn = { dictionary: "", data: Buffer.from("0 0 595 842 re f") };
    const text = { dictionary: "", data: Buffer.from("BT /F1 11 Tf 72 700 Td (Typed text) Tj ET") };
    const contents = [text, drawn, drawn, text, drawn, drawn];
    const bytes = makePdf(
      contents.map(() => []),
      { content: (at) => contents[at] ?? text },
    );
    const recognized = new Map([
      [2, "First part.\n\nSecond part."],
      [3, ""],
      [5, null],
    ]);
    const document = await readDocument({ bytes, name: "", contentType: "", recognized });
    const blocks = document.blocks.map(({ start, end, page }) => [page, document.text.slice(start, end)]);
    expect(blocks).toEqual([
      [1, "Typed text"],
      [2, "First part."],
      [2, "Second part."],
      [4, "Typed text"],
    ]);
    expect(document.facts).toMatchObject({
      recognizedPages: [2],
      imagePages: [3, 5, 6],
      notes: [
        "Page 2 is a picture whose text was recognized: it may have errors.",
        "Page 3 is a picture in which no text was recognized.",
        "Page 5 is a picture that is too large or takes too long to recognize.",
        "Page 6 is a picture without text. Install text recognition (npm run install:ocr) and have the document read again.",
      ],
    });
  });

  it("is empty where only recognition can give it text, of at most 500 pages", async () => {
    const pages = Array.from({ length: 501 }, () => []);
    const content = () => ({ dictionary: "", data: Buffer.from("0 0 595 842 re f") });
    const bytes = makePdf(pages, { content });
    const readWith = (recognized: Map<number, string>) =>
      readDocument({ bytes, name: "", contentType: "", recognized });
    expect(await readWith(new Map())).toMatchObject({ text: "", facts: { pages: 501 } });
    const all = new Map(Array.from({ length: 500 }, (_, at) => [at + 1, at === 0 ? "Found." : ""]));
    const { facts } = await readWith(all);
    expect(facts.notes?.at(-1)).toBe(
      "Page 501 is a picture without text. At most 500 pages of a document are recognized: split the file.",
    );
  });

  it("has the text in a scan's margins once, as it is typed", async () => {
    const picture = "q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q BT /F1 11 Tf";
    const data = Buffer.from(`${picture} 72 20 Td (Copy No. 17) Tj ET`);
    const bytes = makePdf([[]], { content: () => ({ dictionary: "", data }) });
    const recognized = new Map([[1, "Body of the letter.\n\nCopy No, 17"]]);
    const { text } = await readDocument({ bytes, name: "", contentType: "", recognized });
    expect(text).toBe("Copy No. 17\n\nBody of the letter.");
  });

  it("that is password-protected is refused", async () => {
    await expect(read(makeEncryptedPdf())).rejects.toMatchObject({
      code: "invalid",
      message: "This PDF is password-protected. Remove the password and try again.",
    });
  });

  it.each([
    ["cut off after its header", makePdf([[{ text: "Text", y: 700 }]]).subarray(0, 20)],
    ["of noise", Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(5000, 0x93)])],
    [
      "without pages",
      Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF"),
    ],
  ])("%s is reported as damaged", async (_, bytes) => {
    await expect(read(bytes)).rejects.toThrow("This PDF file is damaged. Repair it or export it again.");
  });

  it("is recovered if its cross-reference table is damaged", async () => {
    const whole = Buffer.from(makePdf([[{ text: "Still here", y: 700 }]])).toString("latin1");
    const cut = Buffer.from(
      whole.replace(/startxref\n\d+/, "startxref\n9999").replace(/ 00000 n/g, " 00007 x"),
      "latin1",
    );
    expect((await read(cut)).text).toBe("Still here");
  });

  it("unpacks its streams", async () => {
    const data = deflateSync(Buffer.from("BT /F1 11 Tf 72 700 Td (packed) Tj ET"));
    const bytes = makePdf([[]], { content: () => ({ dictionary: "/Filter /FlateDecode", data }) });
    expect((await read(bytes)).text).toBe("packed");
  });

  it.each([
    ["pdf-fake-bold.pdf", ["WARNING HIGH VOLTAGE"]],
    ["pdf-letter-spaced.pdf", ["KAPITEL 7", "SICHERHEITSHINWEISE"]],
    ["pdf-filled-form.pdf", ["Name: Erika Beispiel", "Employee number: P-77410", "Days: ☒"]],
    ["pdf-only-form.pdf", ["Only field text 9911"]],
    ["pdf-freetext-note.pdf", ["Drawing 12, sheet 3", "stainless steel 1.4404"]],
    [
      "pdf-repeated-clause.pdf",
      ["liable for damage caused by late delivery", "40 % of the contract value of lot 4"],
    ],
  ])("of %s has its text", async (name, texts) => {
    const { text } = await read(fixture(name));
    for (const expected of texts) expect(text).toContain(expected);
  });

  it("of invoices has each number and total once, on its page", async () => {
    const blocks = await blocksOf(fixture("pdf-invoices.pdf"));
    const pagesWith = (part: string) =>
      blocks.filter(([, text]) => String(text).includes(part)).map(([, , page]) => page);
    for (const page of [1, 2, 3, 4, 5]) {
      expect(pagesWith(`RE-2024-100${page}`)).toEqual([page]);
      expect(pagesWith(`Total due: ${page}19.00 EUR`)).toEqual([page]);
    }
  });

  it.each([
    ["letters apart by their spacing", "BT 5 Tc /F1 11 Tf 72 700 Td (ANHANG) Tj ET", "ANHANG"],
    ["letters apart by spaces", "BT /F1 11 Tf 72 700 Td (W I C H T I G   L E S E N) Tj ET", "WICHTIG LESEN"],
    ["names of choices", "BT /F1 11 Tf 72 700 Td (A B C D E) Tj ET", "A B C D E"],
    ["digits apart", "BT /F1 11 Tf 72 700 Td (0 1 0 1 1) Tj ET", "0 1 0 1 1"],
    [
      "a shadow",
      "BT /F1 11 Tf 72 700 Td (Attention all) Tj ET BT /F1 11 Tf 72.7 699.3 Td (Attention all) Tj ET",
      "Attention all",
    ],
    ["words spread by justification", "BT /F1 11 Tf 72 700 Td [(wide) -2000 (words)] TJ ET", "wide words"],
    [
      "lines of a turned text",
      "BT /F1 11 Tf 0 1 -1 0 90 72 Tm (turned text that) Tj 0 -14 Td (is continued) Tj ET",
      "turned text that is continued",
    ],
    [
      "a number in text from right to left",
      "BT /F3 11 Tf 72 700 Td (DC 2017242017 BA) Tj ET",
      "אב 2017242017 גד",
    ],
    ["a word in text from right to left", "BT /F3 11 Tf 72 700 Td (DC docker BA) Tj ET", "אב docker גד"],
    ["a typographic hyphen", "BT /F3 11 Tf 72 700 Td (disE) Tj 0 -14 Td (tance) Tj ET", "distance"],
  ])("is read with %s", async (_, content, text) => {
    const bytes = makePdf([[]], {
      content: () => ({ dictionary: "", data: Buffer.from(content) }),
      page: () => "/Resources << /Font << /F1 3 0 R /F3 7 0 R >> >>",
      objects: [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding " +
          "/BaseEncoding /WinAnsiEncoding /Differences [65 /uni05D0 /uni05D1 /uni05D2 /uni05D3 /uni2010] >> >>",
      ],
    });
    expect((await read(bytes)).text).toBe(text);
  });

  it("is read with vertical lines from right to left", async () => {
    const column = (x: number, text: string) => `BT /F3 12 Tf 1 0 0 1 ${x} 780 Tm <${text}> Tj ET`;
    const columns = [column(400, "5951 7d04 671f 9593"), column(380, "306f 4e8c 5e74 3002")];
    const bytes = makePdf([[]], {
      content: () => ({ dictionary: "", data: Buffer.from(columns.join("\n")) }),
      page: () => "/Resources << /Font << /F3 7 0 R >> >>",
      objects: [
        "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-V /DescendantFonts [8 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>",
      ],
    });
    expect((await read(bytes)).text).toBe("契約期間は二年。");
  });

  it("notes pages whose fonts don't name their characters", async () => {
    const bytes = makePdf([[], [{ text: "Plain", y: 700 }]], {
      content: (at) => ({
        dictionary: "",
        data: Buffer.from(`BT /F${at ? 1 : 3} 11 Tf 72 700 Td (AB) Tj ET`),
      }),
      page: () => "/Resources << /Font << /F1 3 0 R /F3 9 0 R >> >>",
      objects: [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Odd /Encoding << /Type /Encoding /Differences [65 /g1 /g2] >> >>",
      ],
    });
    expect((await read(bytes)).facts.notes).toEqual([
      "Page 1 has fonts that don't name their characters: its text may be wrong.",
    ]);
  });

  it("is read without a damaged page, which is noted", async () => {
    const whole = makePdf([[{ text: "First", y: 700 }], [{ text: "Second", y: 700 }]]);
    const broken = Buffer.from(
      Buffer.from(whole).toString("latin1").replace("[5 0 R 7 0 R]", "[5 0 R 9 0 R]"),
      "latin1",
    );
    const { text, facts } = await read(broken);
    expect([text, facts.notes]).toEqual(["First", ["Page 2 is damaged and wasn't read."]]);
  });

  it("is refused as an XFA form, and read with a list of attached files", async () => {
    const xfa = makePdf([[{ text: "Please wait...", y: 700 }]], {
      catalog: "/NeedsRendering true /AcroForm << /Fields [] /XFA 7 0 R >>",
      objects: ["<< /Length 11 >>\nstream\n<xdp></xdp>\nendstream"],
    });
    await expect(read(xfa)).rejects.toThrow(/^This PDF is an XFA form/);
    const attached = makePdf([[{ text: "See the file", y: 700 }]], {
      catalog: "/Names << /EmbeddedFiles << /Names [(a) 7 0 R] >> >>",
      objects: [
        "<< /Type /Filespec /F (table.xml) /UF (table.xml) /EF << /F 8 0 R >> >>",
        "<< /Type /EmbeddedFile /Length 1 >>\nstream\nx\nendstream",
      ],
    });
    expect((await read(attached)).facts.notes).toEqual(["Left out: 1 attached file (table.xml)."]);
  });
});
