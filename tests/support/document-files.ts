import { strToU8, zipSync } from "fflate";

// Generated, so that no binaries are in the repository.

const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

export function makeZip(parts: Record<string, string | Uint8Array>): Uint8Array {
  const entries = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === "string" ? strToU8(part) : part,
  ]);
  return zipSync(Object.fromEntries(entries));
}

function relationships(targets: readonly [id: string, type: string, target: string][]): string {
  const lines = targets.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${lines.join("")}</Relationships>`;
}

const core = (title: string) =>
  `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
  `<dc:title>${title}</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>`;

/** A Word file. @param body WordprocessingML below `w:body` */
export function makeDocx(
  body: string,
  { title = "", parts = {} as Record<string, string> } = {},
): Uint8Array {
  return makeZip({
    "[Content_Types].xml":
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": relationships([["rId1", "officeDocument", "word/document.xml"]]),
    "docProps/core.xml": core(title),
    "word/styles.xml":
      '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style></w:styles>',
    "word/numbering.xml":
      '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
    "word/_rels/document.xml.rels": relationships([
      ["rId1", "styles", "styles.xml"],
      ["rId2", "numbering", "numbering.xml"],
    ]),
    "word/document.xml":
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      `<w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

export function wordItem(text: string): string {
  const properties = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>';
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A paragraph of a Word file. @param style `Heading1`, `Heading2` or none */
export function wordParagraph(text: string, style = ""): string {
  const properties = style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : "";
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** An Excel file. @param sheets rows of cells by the sheet's name; numbers stay numbers */
export function makeXlsx(sheets: Record<string, (string | number)[][]>): Uint8Array {
  const names = Object.keys(sheets);
  const cell = (value: string | number, at: string) =>
    typeof value === "number"
      ? `<c r="${at}"><v>${value}</v></c>`
      : `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const sheetXml = (rows: (string | number)[][]) => {
    const lines = rows.map((row, index) => {
      const cells = row.map((value, column) =>
        value === "" ? "" : cell(value, `${String.fromCharCode(65 + column)}${index + 1}`),
      );
      return `<row r="${index + 1}">${cells.join("")}</row>`;
    });
    return (
      '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
      `<sheetData>${lines.join("")}</sheetData></worksheet>`
    );
  };
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return makeZip({
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"/>`,
    "_rels/.rels": relationships([["rId1", "officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml":
      `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}">` +
      `<sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(
      names.map((_, at) => [`rId${at + 1}`, "worksheet", `worksheets/sheet${at + 1}.xml`]),
    ),
    ...Object.fromEntries(
      names.map((name, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetXml(sheets[name] ?? [])]),
    ),
  });
}

interface Slide {
  title?: string;
  /** Leading tabs indent. */
  body?: string[];
  rows?: string[][];
  notes?: string;
}

const drawn = (text: string) => {
  const level = text.length - text.trimStart().length;
  return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text.trim()}</a:t></a:r></a:p>`;
};
const shape = (role: string, lines: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${role}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map(drawn).join("")}</p:txBody></p:sp>`;
const NAMESPACES =
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${RELATIONS}" ` +
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

function slideXml({ title, body, rows }: Slide): string {
  const cells = (row: string[]) =>
    row.map((text) => `<a:tc><a:txBody>${drawn(text)}</a:txBody></a:tc>`).join("");
  const table = rows
    ? `<p:graphicFrame><a:tbl>${rows.map((row) => `<a:tr>${cells(row)}</a:tr>`).join("")}</a:tbl></p:graphicFrame>`
    : "";
  const shapes = [title ? shape("title", [title]) : "", body ? shape("body", body) : "", table];
  return `<p:sld ${NAMESPACES}><p:cSld><p:spTree>${shapes.join("")}${shape("sldNum", ["7"])}</p:spTree></p:cSld></p:sld>`;
}

/** Slide files are numbered backwards: the presentation defines the order. */
export function makePptx(slides: readonly Slide[]): Uint8Array {
  const number = (at: number) => slides.length - at;
  const parts: Record<string, string> = {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"/>`,
    "ppt/presentation.xml": `<p:presentation ${NAMESPACES}><p:sldIdLst>${slides.map((_, at) => `<p:sldId r:id="rId${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      slides.map((_, at) => [`rId${at}`, "slide", `slides/slide${number(at)}.xml`]),
    ),
  };
  for (const [at, slide] of slides.entries()) {
    parts[`ppt/slides/slide${number(at)}.xml`] = slideXml(slide);
    if (!slide.notes) continue;
    parts[`ppt/slides/_rels/slide${number(at)}.xml.rels`] = relationships([
      ["rId1", "notesSlide", `../notesSlides/notesSlide${at}.xml`],
    ]);
    parts[`ppt/notesSlides/notesSlide${at}.xml`] =
      `<p:notes ${NAMESPACES}>${shape("body", [slide.notes])}${shape("sldNum", ["7"])}</p:notes>`;
  }
  return makeZip(parts);
}

export interface PdfLine {
  text: string;
  size?: number;
  x?: number;
  y: number;
  bold?: boolean;
}

interface PdfOptions {
  /** Further entries of the document's catalog. */
  catalog?: string;
  /** Further entries of each page, such as `/Annots [9 0 R]`. Objects count from 5 + 2 × pages. */
  page?: (page: number) => string;
  /** Such as `/Encrypt 9 0 R`. */
  trailer?: string;
  objects?: string[];
  content?: (page: number) => { dictionary: string; data: Uint8Array };
}

export function makePdf(pages: readonly PdfLine[][], options: PdfOptions = {}): Uint8Array {
  const pieces: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const write = (piece: string | Uint8Array) => {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    pieces.push(bytes);
    length += bytes.length;
  };
  const object = (...body: (string | Uint8Array)[]) => {
    offsets.push(length);
    write(`${offsets.length} 0 obj\n`);
    for (const piece of body) write(piece);
    write("\nendobj\n");
  };
  const line = ({ text, size = 11, x = 72, y, bold = false }: PdfLine) =>
    `BT /F${bold ? 2 : 1} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`;
  const kids = pages.map((_, at) => `${5 + at * 2} 0 R`).join(" ");
  write("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n");
  object(`<< /Type /Catalog /Pages 2 0 R ${options.catalog ?? ""} >>`);
  object(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
  object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>");
  for (const [at, lines] of pages.entries()) {
    object(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${6 + at * 2} 0 R ` +
        `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> ${options.page?.(at) ?? ""} >>`,
    );
    const own = { dictionary: "", data: Buffer.from(lines.map(line).join("\n"), "latin1") };
    const { dictionary, data } = options.content?.(at) ?? own;
    object(`<< /Length ${data.length} ${dictionary} >>\nstream\n`, data, "\nendstream");
  }
  for (const extra of options.objects ?? []) object(extra);
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  write(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join("")}`);
  write(`trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R ${options.trailer ?? ""} >>\n`);
  write(`startxref\n${start}\n%%EOF\n`);
  return Buffer.concat(pieces);
}

/** Its password isn't empty. */
export function makeEncryptedPdf(): Uint8Array {
  const key = "ab".repeat(32);
  return makePdf([[{ text: "secret", y: 700 }]], {
    objects: [`<< /Filter /Standard /V 1 /R 2 /P -44 /O <${key}> /U <${key}> >>`],
    trailer: `/Encrypt 7 0 R /ID [<${"01".repeat(16)}> <${"01".repeat(16)}>]`,
  });
}
