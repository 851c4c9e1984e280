import { constants, crc32, deflateRawSync } from "node:zlib";
import { utils, write } from "@e965/xlsx";
import { Zip, type ZipInputFile, zipSync } from "fflate";
import { makeDocx, makePdf } from "./document-files";
import { makeMsg, makeZip } from "./mail-files";

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

/** Containers of 200 MB within 0.2 MB, each within another. */
function makeNestedZip(levels: number): Uint8Array {
  const bomb = zipDeflated({ "zeros.txt": repeated(" ".repeat(1_000_000), 199) });
  let nested = bomb;
  for (let level = 0; level < levels; level += 1)
    nested = zipSync(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`${n}.zip`, nested])));
  return nested;
}

/** The size that the directory claims, at its place in an entry (APPNOTE 4.3.12). */
function withForgedSizes(zip: Uint8Array): Uint8Array {
  const bytes = Buffer.from(zip);
  for (let at = bytes.indexOf("PK\x01\x02"); at >= 0; at = bytes.indexOf("PK\x01\x02", at + 1))
    bytes.writeUInt32LE(10, at + 24);
  return bytes;
}

/** A container whose directory is its own continuation ([MS-CFB] 2.3). */
function makeCyclicMsg(): Uint8Array {
  const bytes = Buffer.from(makeMsg({ properties: { "0037001F": "Round and round" } }));
  const [directory, table] = [bytes.readInt32LE(0x30), bytes.readInt32LE(0x4c)];
  bytes.writeInt32LE(directory, (table + 1) * 512 + directory * 4);
  return bytes;
}

function makeDeepMail(levels: number): Uint8Array {
  const parts = Array.from(
    { length: levels },
    (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`,
  );
  return Buffer.from(`From: a@example.org\r\nSubject: Deep\r\n${parts.join("")}`);
}

/** A sheet has a record of a text without its length, which the library reads without end. */
function makeEndlessXls(): Uint8Array {
  const book = { SheetNames: ["Plan"], Sheets: { Plan: utils.aoa_to_sheet([["a"]]) } };
  const bytes = Buffer.from(write(book, { type: "buffer", bookType: "biff8" }));
  const calcCount = bytes.indexOf(Buffer.from([0x0c, 0, 2, 0, 100, 0]));
  bytes.set([0x07, 0, 0, 0], calcCount);
  return bytes;
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
    what: "an OpenDocument text that unpacks without end",
    name: "bomb.odt",
    make: () =>
      zipDeflated({
        mimetype: repeated("application/vnd.oasis.opendocument.text", 1),
        "content.xml": repeated("<text:p>word</text:p>".repeat(50_000), 300),
      }),
    code: "invalid",
    message: /unpacks to more than|compression ratio/,
  },
  {
    what: "a PowerPoint file that unpacks without end",
    name: "bomb.pptx",
    make: () =>
      zipDeflated({
        "ppt/presentation.xml": repeated("<presentation/>", 1),
        "ppt/charts/chart1.xml": repeated(" ".repeat(1_000_000), 300),
      }),
    code: "invalid",
    message: /unpacks to more than|compression ratio/,
  },
  {
    what: "an e-book of 500,000 elements",
    name: "wide.epub",
    make: () =>
      zipDeflated({
        "META-INF/container.xml": repeated('<container><rootfile full-path="b.opf"/></container>', 1),
        "b.opf": repeated('<package><item id="a" href="a.xhtml"/><itemref idref="a"/></package>', 1),
        "a.xhtml": repeated("<p>word</p>".repeat(5000), 100),
      }),
    code: "invalid",
    message: /^This HTML has more than 200,000 elements/,
  },
  {
    what: "an RTF file nested 1,000,000 deep",
    name: "deep.rtf",
    make: () => Buffer.from(`{\\rtf1${"{".repeat(1_000_000)}`),
    code: "invalid",
    message: /^This RTF file is nested too deeply/,
  },
  {
    what: "an Excel file that unpacks without end",
    name: "bomb.xlsx",
    make: makeSheetBomb,
    code: "invalid",
    message: /unpacks to more than|compression ratio/,
  },
  {
    what: "an Excel file of 2003 with a text without end",
    name: "endless.xls",
    make: makeEndlessXls,
    code: "unavailable",
    message: /^Reading this document needs too much memory\. Split it into smaller files/,
  },
  {
    what: "an email nested 5,000 parts deep",
    name: "deep.eml",
    make: () => makeDeepMail(5000),
    code: "invalid",
    message: /^The parts of this message are nested too deeply/,
  },
  {
    what: "an Outlook message whose directory never ends",
    name: "cyclic.msg",
    make: makeCyclicMsg,
    code: "invalid",
    message: /^This Outlook message file is damaged/,
  },
  {
    what: "an archive of 20,000 files",
    name: "many.zip",
    make: () => makeZip(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n}.txt`, "x"]))),
    code: "invalid",
    message: /^The file has more than 10,000 parts/,
  },
  {
    what: "an archive that unpacks without end",
    name: "bomb.zip",
    make: () => zipDeflated({ "zeros.txt": repeated(" ".repeat(1_000_000), 600) }),
    code: "invalid",
    message: /^This archive unpacks to more than 200 MB/,
  },
];

/** Archives that can be listed, with the reasons why nothing of them is added. */
export const HOSTILE_ARCHIVES: readonly (Omit<HostileFile, "code" | "message"> & { reasons: RegExp })[] = [
  {
    what: "archives within archives within archives",
    name: "nested.zip",
    make: () => makeNestedZip(5),
    reasons: /^it is nested too deeply$|^it and what follows are beyond 1,000 files or 200 MB$/,
  },
  {
    what: "archives of 200 MB within an archive",
    name: "wide.zip",
    make: () => makeNestedZip(1),
    reasons: /^it is larger than 50 MB$/,
  },
  {
    what: "an archive that claims ten bytes a file",
    name: "forged.zip",
    make: () => withForgedSizes(zipDeflated({ "zeros.txt": repeated(" ".repeat(1_000_000), 190) })),
    reasons: /^it is damaged, or compressed in an unusual way$/,
  },
];
