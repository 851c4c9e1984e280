import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  makeDocx,
  makePptx,
  makeXlsx,
  makeZip,
  wordItem,
  wordParagraph,
} from "../../../tests/support/document-files";
import { readDocument } from "./index";

const read = (bytes: Uint8Array, name = "") => readDocument({ bytes, name, contentType: "" });
async function blocksOf(bytes: Uint8Array) {
  const { text, blocks } = await read(bytes);
  return blocks.map(({ kind, start, end, page, level }) => [
    level ? `${kind} ${level}` : kind,
    text.slice(start, end),
    ...(page ? [page] : []),
  ]);
}

describe("a Word file", () => {
  const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
  const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join("")}</w:tr>`;

  it("is read as headings, paragraphs, lists and tables", async () => {
    const body =
      wordParagraph("Harbour", "Heading1") +
      wordParagraph("The lamp is lit at dusk.") +
      wordParagraph("Hours", "Heading2") +
      wordItem("May") +
      wordItem("June") +
      `<w:tbl>${row("Month", "Hours")}${row("May", "9")}${row("June", "8")}</w:tbl>`;
    expect(await blocksOf(makeDocx(body))).toEqual([
      ["heading 1", "Harbour"],
      ["paragraph", "The lamp is lit at dusk."],
      ["heading 2", "Hours"],
      ["list", "- May\n- June"],
      ["table", "Month | Hours\nMay | 9\nJune | 8"],
    ]);
  });

  it("reports its own title and author, else its first heading", async () => {
    const body = wordParagraph("Harbour", "Heading1") + wordParagraph("Text.");
    expect(await read(makeDocx(body, { title: "Tides &amp; Storms" }))).toMatchObject({
      title: "Tides & Storms",
      facts: { format: "Word", author: "Ada" },
    });
    expect((await read(makeDocx(body))).title).toBe("Harbour");
  });

  it("is detected by its content rather than its name", async () => {
    const { facts } = await read(makeDocx(wordParagraph("Text.")), "report.pdf");
    expect(facts).toMatchObject({ format: "Word", notes: ["Read as Word, not PDF as its name suggests."] });
  });

  it("without text fails", async () => {
    await expect(read(makeDocx(""))).rejects.toThrow(
      "No text was found in this document. Add its content as text instead.",
    );
  });

  it("that is truncated is reported as damaged", async () => {
    const bytes = makeDocx(wordParagraph("Text.")).subarray(0, 600);
    await expect(read(bytes, "a.docx")).rejects.toThrow(
      "This Word file is damaged. Repair it or export it again.",
    );
  });

  it("that is nested too deeply is refused", async () => {
    const deep = "<w:sdt><w:sdtContent>".repeat(20_000) + "</w:sdtContent></w:sdt>".repeat(20_000);
    await expect(read(makeDocx(deep))).rejects.toThrow(
      "This Word file nests elements more than 2,000 levels deep. Simplify it and try again.",
    );
  });
});

describe("an Excel file", () => {
  it("is read sheet by sheet, with rows as tables", async () => {
    const bytes = makeXlsx({
      Prices: [
        ["Item", "Price"],
        ["Tea", 3],
        ["Cake", 4.5],
      ],
      Notes: [["Closed in May"]],
    });
    expect(await blocksOf(bytes)).toEqual([
      ["heading 1", "Prices", 1],
      ["table", "Item | Price\nTea | 3\nCake | 4.5", 1],
      ["heading 1", "Notes", 2],
      ["paragraph", "Closed in May", 2],
    ]);
  });

  it("is split into tables at empty rows, without empty columns on the left", async () => {
    const bytes = makeXlsx({
      Sheet1: [["", "Stock"], [], ["", "Item", "Count"], ["", "Rope", 3], [], ["", "Sum", 3]],
    });
    const { title, blocks, text } = await read(bytes);
    expect(title).toBe("");
    expect(blocks.map(({ kind, header }) => [kind, header])).toEqual([
      ["paragraph", undefined],
      ["table", true],
      ["table", undefined],
    ]);
    expect(text).toBe("Stock\n\nItem | Count\nRope | 3\n\nSum | 3");
  });
});

describe("an Excel file with a stray cell far outside", () => {
  const withStray = (at: string) => {
    const parts = unzipSync(
      makeXlsx({
        Stock: [
          ["Item", "Count"],
          ["Rope", 3],
        ],
      }),
    );
    const stray = `<row r="${at.replace(/\D/g, "")}"><c r="${at}"><v>7</v></c></row></sheetData>`;
    const sheet = strFromU8(parts["xl/worksheets/sheet1.xml"] ?? new Uint8Array());
    return makeZip({ ...parts, "xl/worksheets/sheet1.xml": sheet.replace("</sheetData>", stray) });
  };

  it.each(["C90000", "XFD1048576"])("takes no more room than another one: %s", async (place) => {
    const { text, facts } = await read(withStray(place));
    expect(text).toBe("Stock\n\nItem | Count\nRope | 3\n\n7");
    expect(facts.notes).toBeUndefined();
  });
});

describe("a PowerPoint file", () => {
  it("is read slide by slide, with tables and notes", async () => {
    const bytes = makePptx([
      { title: "Tides", body: ["High", "\tat noon", "Low"], notes: "Say it slowly." },
      {
        rows: [
          ["Month", "Tide"],
          ["May", "2 m"],
        ],
      },
      {},
    ]);
    expect(await blocksOf(bytes)).toEqual([
      ["heading 1", "Tides", 1],
      ["list", "- High\n  - at noon\n- Low", 1],
      ["paragraph", "Notes: Say it slowly.", 1],
      ["heading 1", "Slide 2", 2],
      ["table", "Month | Tide\nMay | 2 m", 2],
    ]);
    expect((await read(bytes)).facts).toEqual({ format: "PowerPoint", pages: 3 });
  });
});

describe("a hostile archive", () => {
  const bomb = (size: number) => zipSync({ "word/document.xml": new Uint8Array(size).fill(32) });

  /** Writes another size into the archive's directory and into the part's own header. */
  function withSize(archive: Uint8Array, size: number): Uint8Array {
    const bytes = Buffer.from(archive);
    bytes.writeUInt32LE(size, bytes.indexOf("PK\x01\x02", 0, "latin1") + 24);
    bytes.writeUInt32LE(size, bytes.indexOf("PK\x03\x04", 0, "latin1") + 22);
    return bytes;
  }

  it("that unpacks beyond the size limit is refused", async () => {
    await expect(read(withSize(bomb(1000), 200_000_001))).rejects.toThrow(
      "The file unpacks to more than 200 MB.",
    );
  });

  it("that unpacks to hundreds of times its size is refused", async () => {
    await expect(read(bomb(30_000_000))).rejects.toThrow("compression ratio is unsafe");
  });

  it("that declares false sizes is reported as damaged", async () => {
    await expect(read(withSize(bomb(100_000), 10))).rejects.toThrow(
      "This Word file is damaged. Repair it or export it again.",
    );
  });

  it("with too many parts is refused", async () => {
    const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}`, strToU8("")]));
    await expect(read(zipSync(parts, { level: 0 }))).rejects.toThrow("The file has more than 10,000 parts.");
  });

  it.each([
    ["word/document.xml", "", "<!DOCTYPE"],
    ["word/styles.xml", "", "<!DOCTYPE"],
    ["word/document.xml", `<!--${"x".repeat(10_000)}-->`, "<!DOCTYPE"],
    ["word/document.xml", "", "<!DocType"],
  ])("that declares entities in %s is refused (%#)", async (name, comment, doctype) => {
    const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
    const xml = `<?xml version="1.0"?>${comment}${doctype} x [<!ENTITY e0 "ha">${entities.join("")}]><x>&e9;</x>`;
    await expect(read(makeDocx(wordParagraph("Text."), { parts: { [name]: xml } }))).rejects.toThrow(
      "declares XML entities",
    );
  });

  it.each([
    ["anything else", { "a.txt": "text" }, "This Word file is damaged. Repair it or export it again."],
  ])("of %s is refused by name", async (_, parts, message) => {
    await expect(read(makeZip(parts), "a.docx")).rejects.toThrow(message);
  });
});
