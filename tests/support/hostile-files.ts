import { constants, crc32, deflateRawSync } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { makeDocx, makePdf } from "./document-files";

/** `piece` repeated `times` times, as raw deflate: compressing the whole would take seconds. */
function repeated(piece: string, times: number) {
  const bytes = Buffer.from(piece);
  const block = deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_SYNC_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  let crc = 0;
  for (let time = 0; time < times; time += 1) crc = crc32(bytes, crc);
  return {
    deflated: Buffer.concat([...Array.from({ length: times }, () => block), end]),
    size: bytes.length * times,
    crc,
  };
}

/** An archive of parts that are deflated already. */
function zipDeflated(parts: Record<string, ReturnType<typeof repeated>>): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const [filename, { deflated, size, crc }] of Object.entries(parts)) {
    const file: ZipInputFile = { filename, size, crc, compression: 8 };
    zip.add(file);
    file.ondata?.(null, deflated, true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

/** Twelve drawings, each of which draws the next one ten times. */
function makeMultiplyingPdf(): Uint8Array {
  const levels = 12;
  const drawings = Array.from({ length: levels }, (_, level) => {
    const content = level < levels - 1 ? "/X Do ".repeat(10) : "BT /F1 9 Tf 72 700 Td (word word) Tj ET";
    const resources = `<< /Font << /F1 3 0 R >> /XObject << /X ${8 + level} 0 R >> >>`;
    const dictionary = `/Type /XObject /Subtype /Form /BBox [0 0 600 900] /Resources ${resources}`;
    return `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  });
  return makePdf([[]], {
    content: () => ({ dictionary: "", data: Buffer.from("/X Do") }),
    page: () => "/Resources << /XObject << /X 7 0 R >> >>",
    objects: drawings,
  });
}

/** All cells share one position: 200 MB within 1 MB. */
function makeSheetBomb(): Uint8Array {
  const row = `<row r="1">${'<c r="A1"><v>1</v></c>'.repeat(100)}</row>`;
  return zipDeflated({
    "[Content_Types].xml": repeated("<Types/>", 1),
    "xl/workbook.xml": repeated("<workbook/>", 1),
    "xl/worksheets/sheet1.xml": repeated(`<worksheet><sheetData>${row.repeat(1000)}</sheetData>`, 100),
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
    make: () =>
      makePdf([[]], {
        content: () => ({
          dictionary: "/Filter /FlateDecode",
          // Behind the header of zlib's format; nobody gets as far as its checksum.
          data: Buffer.concat([Buffer.from([0x78, 0xda]), repeated(" ".repeat(1_000_000), 600).deflated]),
        }),
      }),
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
    what: "a PDF whose drawings multiply",
    name: "multiplying.pdf",
    make: makeMultiplyingPdf,
    code: "unavailable",
    message: /^Reading this document needs too much memory\. Split it into smaller files/,
  },
  {
    what: "HTML of 500,000 elements",
    name: "wide.html",
    make: () => Buffer.from(`<html>${"<p>word</p>".repeat(500_000)}`),
    code: "invalid",
    message: /^This HTML has more than 200,000 elements/,
  },
  {
    what: "a Word file of 2,520,000 columns",
    name: "wide.docx",
    make: () =>
      makeDocx(
        `<w:tbl>${`<w:tr>${'<w:tc><w:tcPr><w:gridSpan w:val="99999"/></w:tcPr><w:p/></w:tc>'.repeat(40)}</w:tr>`.repeat(1000)}</w:tbl>`,
      ),
    code: "invalid",
    message: /^The tables have more than 2,000,000 cells/,
  },
  {
    what: "a Word file nested 300,000 deep",
    name: "deep.docx",
    make: () => makeDocx("<w:sdt>".repeat(300_000)),
    code: "invalid",
    message: /^This Word file nests elements more than 2,000 levels/,
  },
  {
    what: "a Word file that unpacks without end",
    name: "bomb.docx",
    make: () =>
      zipDeflated({
        "[Content_Types].xml": repeated("<Types/>", 1),
        "word/document.xml": repeated(" ".repeat(1_000_000), 300),
      }),
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
