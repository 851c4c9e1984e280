import { deflateSync } from "node:zlib";
import { makeDocx, makePdf, makeZip, wordParagraph } from "./document-files";

const flate = (data: Uint8Array) => ({
  dictionary: "/Filter /FlateDecode",
  data: deflateSync(data, { level: 9 }),
});

function makeLongPdf(pages: number): Uint8Array {
  const words = Array.from({ length: 10 }, (_, n) => `w${n}`).join(" ");
  const lines = Array.from({ length: 100 }, (_, n) => `1 0 0 1 50 ${800 - n * 7} Tm (${words}) Tj`);
  const content = flate(Buffer.from(`BT /F1 6 Tf\n${lines.join("\n")} ET`));
  return makePdf(
    Array.from({ length: pages }, () => []),
    { content: () => content },
  );
}

/** All cells share one position: 200 MB within 1 MB. */
function makeSheetBomb(): Uint8Array {
  const row = `<row r="1">${'<c r="A1"><v>1</v></c>'.repeat(100)}</row>`;
  return makeZip({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": "<workbook/>",
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${row.repeat(100_000)}</sheetData></worksheet>`,
  });
}

interface HostileFile {
  what: string;
  name: string;
  make: () => Uint8Array;
  code: string;
  message: RegExp;
}

/** Small files that exhaust careless readers, with their expected refusals. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  {
    // 600 MB of spaces in 0.6 MB, unpacked per page.
    what: "a PDF that inflates",
    name: "inflating.pdf",
    make: () => makePdf([[]], { content: () => flate(Buffer.alloc(600_000_000, 32)) }),
    code: "unavailable",
    message: /^Reading this document needs too much memory\. Split it into smaller files/,
  },
  {
    what: "HTML nested 300,000 deep",
    name: "deep.html",
    make: () => Buffer.from(`<html>${"<div>".repeat(300_000)}`),
    code: "invalid",
    message: /^This HTML nests elements more than 2,000 levels/,
  },
  {
    what: "a PDF of 2,000,000 words",
    name: "long.pdf",
    make: () => makeLongPdf(2000),
    code: "invalid",
    message: /^This PDF has more than 1,000,000 words/,
  },
  {
    what: "HTML of 500,000 elements",
    name: "wide.html",
    make: () => Buffer.from(`<html>${"<p>word</p>".repeat(500_000)}`),
    code: "invalid",
    message: /^This HTML has more than 200,000 elements/,
  },
  {
    what: "a Word file of 300,000 paragraphs",
    name: "long.docx",
    make: () => makeDocx(wordParagraph("word").repeat(300_000)),
    code: "invalid",
    message: /^The file has more than 400,000 elements/,
  },
  {
    what: "a Word file that unpacks without end",
    name: "bomb.docx",
    make: () => makeDocx(" ".repeat(300_000_000)),
    code: "invalid",
    message: /unpacks to more than|compression ratio/,
  },
  {
    what: "an Excel file that unpacks without end",
    name: "bomb.xlsx",
    make: makeSheetBomb,
    code: "invalid",
    message: /unpacks to more than|compression ratio/,
  },
];
