import { decodeText, looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import type { ReadDocument } from "./document.schema";
import {
  type DocumentFormat,
  mediaTypeOf,
  plainText,
  type Sniffed,
  type SourceFile,
  textOf,
  withNote,
} from "./format";
import { csv } from "./formats/csv.format";
import { docx } from "./formats/docx.format";
import { json } from "./formats/json.format";
import { markdown } from "./formats/markdown.format";
import { pptx } from "./formats/pptx.format";
import { xlsx } from "./formats/xlsx.format";
import { endingOf } from "./formats.shared";
import { HTML_START, readPage } from "./html/page";
import { listParts } from "./office";
import { readPdf } from "./pdf/read-pdf";

const pdf: DocumentFormat = {
  label: "PDF",
  endings: [".pdf"],
  types: ["application/pdf"],
  isText: false,
  // PDF readers accept bytes before the header. A text that mentions it isn't a PDF.
  recognises: ({ isText, start }) =>
    /^\s{0,9}%PDF-/.test(start) || (!isText && start.slice(0, 1024).includes("%PDF-")),
  read: ({ bytes }) => readPdf(bytes),
};

const html: DocumentFormat = {
  label: "HTML",
  endings: [".html", ".htm", ".xhtml"],
  types: ["text/html", "application/xhtml+xml"],
  isText: true,
  recognises: ({ isText, start }) => isText && HTML_START.test(start),
  read: (file) => readPage(textOf(file)),
};

const formats: readonly DocumentFormat[] = [pdf, docx, xlsx, pptx, html, json, markdown, csv, plainText];

const invalid = (message: string) => new AppError("invalid", message);

function namedFormat({ name }: SourceFile): DocumentFormat | undefined {
  const ending = endingOf(name);
  return formats.find((format) => format.endings.includes(ending));
}

function refuseBinary(format: DocumentFormat | undefined): never {
  if (format && !format.isText)
    throw invalid(`This ${format.label} file is damaged. Repair it or export it again.`);
  if (format) throw invalid("This file contains binary data, not text.");
  throw invalid(
    "This file contains binary data, not text. Save it as PDF, .docx or plain text and try again.",
  );
}

/** Detects by content, name and declared type, in this order; other text is plain text. */
function findFormat(file: SourceFile, content: Sniffed): DocumentFormat {
  const recognised = formats.find(
    ({ parts = [], recognises }) => parts.some((name) => content.entries.has(name)) || recognises?.(content),
  );
  if (recognised) return recognised;
  const refusal = refusalOf(content);
  if (refusal) throw invalid(refusal);
  const named = namedFormat(file);
  if (!content.isText) refuseBinary(named);
  if (named?.isText) return named;
  const type = mediaTypeOf(file.contentType);
  return formats.find((format) => format.isText && format.types.includes(type)) ?? plainText;
}

async function readAs(format: DocumentFormat, file: SourceFile): Promise<ReadDocument> {
  try {
    return await format.read(file);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const isTooDeep = cause instanceof RangeError && /call stack/.test(cause.message);
    const problem = isTooDeep
      ? "is nested too deeply. Simplify it and try again"
      : "is damaged. Repair it or export it again";
    throw new AppError("invalid", `This ${format.label} file ${problem}.`, { cause });
  }
}

function noteMismatch(
  document: ReadDocument,
  format: DocumentFormat,
  named: DocumentFormat | undefined,
): ReadDocument {
  if (!named || named === format || (named.isText && format.isText)) return document;
  return withNote(document, `Read as ${format.label}, not ${named.label} as its name suggests.`);
}

/**
 * Reads a document's text and structure.
 * @throws AppError `invalid` with a message for a person if nothing can be read
 */
export async function readDocument(file: SourceFile): Promise<ReadDocument> {
  if (file.bytes.length === 0) throw invalid("The file is empty. Choose another file.");
  const format = findFormat(file, await sniff(file));
  const document = await readAs(format, file);
  if (document.blocks.length > 0) return noteMismatch(document, format, namedFormat(file));
  throw invalid(
    document.facts.notes?.join(" ") || "No text was found in this document. Add its content as text instead.",
  );
}

const typeOf = ({ types: [mediaType = "text/plain"] }: DocumentFormat) => mediaType;

/**
 * Reads a file's text: of text formats unchanged, of others as `readDocument` extracts it.
 * @throws AppError as `readDocument`
 */
export async function readFileText(file: SourceFile): Promise<{ mediaType: string; text: string }> {
  if (file.bytes.length === 0) throw invalid("The file is empty. Choose another file.");
  const content = await sniff(file);
  const format = findFormat(file, content);
  if (!format.isText || !content.isText) {
    const { text } = await readDocument(file);
    return { mediaType: typeOf(format), text };
  }
  const named = namedFormat(file);
  if (named && !named.isText)
    throw invalid(
      `This isn't a ${named.label} file, despite its name. Export it again, or rename it if it is text.`,
    );
  const text = textOf(file);
  if (!/\S/.test(text)) throw invalid("The file has no text. Choose another file.");
  return { mediaType: typeOf(format), text };
}

const START = 4096;
const ZIP = "PK\x03\x04";

async function entriesOf(bytes: Uint8Array): Promise<Set<string>> {
  try {
    return await listParts(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return new Set();
  }
}

async function sniff({ bytes, contentType }: SourceFile): Promise<Sniffed> {
  const head = bytes.subarray(0, START);
  const latin = Buffer.from(head).toString("latin1");
  const isText = !looksBinary(bytes);
  return {
    bytes,
    isText,
    start: isText ? decodeText(head, contentType) : latin,
    entries: latin.startsWith(ZIP) ? await entriesOf(bytes) : new Set(),
  };
}

const ARCHIVE = "This is an archive. Unpack it and upload the files.";
const IMAGE = "This is an image. Text recognition isn't supported.";
const MEDIA = "This is an audio or video file. Add a transcript as text.";

/** By the first bytes of a binary file. */
const STARTS: readonly [readonly string[], string][] = [
  [["\x1f\x8b", "7z\xbc\xaf", "Rar!", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd"], ARCHIVE],
  [["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM", "\0\0\x01\0"], IMAGE],
  [["ID3", "OggS", "fLaC", "\x1aE\xdf\xa3"], MEDIA],
];
/** By the entries of a zip archive. */
const ENTRIES: readonly [string, string][] = [
  ["xl/workbook.bin", "This is a binary Excel file (.xlsb). Save it as .xlsx and try again."],
  ["META-INF/container.xml", "This is an e-book (EPUB). Save it as PDF or HTML and try again."],
  ["content.xml", "This is an OpenDocument file. Save it as .docx, .xlsx or .pptx and try again."],
];
/** By the streams of the old Office container (OLE2), whose directory is UTF-16. */
const STREAMS: readonly [string, string][] = [
  ["EncryptedPackage", "This file is password-protected. Remove the password and try again."],
  ["WordDocument", "This is an old Word file (.doc). Save it as .docx and try again."],
  ["PowerPoint Document", "This is an old PowerPoint file (.ppt). Save it as .pptx and try again."],
  ["Workbook", "This is an old Excel file (.xls). Save it as .xlsx and try again."],
  ["", "This file type isn't supported. Save it as PDF or .docx and try again."],
];

/** Why a file that isn't of a supported format can't be read; undefined if it may be text. */
function refusalOf({ bytes, start, isText, entries }: Sniffed): string | undefined {
  if (start.startsWith("\xd0\xcf\x11\xe0")) {
    const container = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return STREAMS.find(([name]) => container.includes(Buffer.from(name, "utf16le")))?.[1];
  }
  if (entries.size > 0) return ENTRIES.find(([name]) => entries.has(name))?.[1] ?? ARCHIVE;
  if (start.startsWith("{\\rtf")) return "This is a Rich Text file. Save it as .docx and try again.";
  if (isText) return undefined;
  if (/^RIFF[\s\S]{4}WEBP|^[\s\S]{4}ftyp(?:avif|heic|mif1)/.test(start)) return IMAGE;
  if (/^RIFF|^[\s\S]{4}ftyp/.test(start)) return MEDIA;
  return STARTS.find(([starts]) => starts.some((item) => start.startsWith(item)))?.[1];
}
