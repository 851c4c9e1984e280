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

  it("is read without headers, footers and page numbers", async () => {
    const pages = Array.from({ length: 6 }, (_, at) => [
      { text: "Harbour Report", y: 810 },
      ...lines([`Chapter ${"abcdef"[at]} tells of another year.`], 700),
      { text: `${at + 1}`, x: 290, y: 30 },
    ]);
    const { text } = await read(makePdf(pages));
    expect(text).not.toContain("Harbour Report");
    expect(text).not.toMatch(/\d/);
    expect(text).toContain("Chapter f");
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

  it("notes pages without text, and fails if no page has any", async () => {
    const { facts } = await read(makePdf([[{ text: "Text", y: 700 }], []]));
    expect(facts.notes).toEqual(["1 page has no text. Text recognition isn't supported."]);
    const more = await read(makePdf([[{ text: "Text", y: 700 }], [], []]));
    expect(more.facts.notes).toEqual(["2 pages have no text. Text recognition isn't supported."]);
    await expect(read(makePdf([[], []]))).rejects.toThrow(
      "No text was found: the pages are images. Text recognition isn't supported.",
    );
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
});
