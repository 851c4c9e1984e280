import { AppError } from "~/core/errors";
import { decodeFile } from "./decode-file";
import type { ReadDocument } from "./document.schema";
import { type DocumentFormat, mediaTypeOf, type Sniffed, type SourceFile, withNote } from "./format";
import { csv } from "./formats/csv.format";
import { doc } from "./formats/doc.format";
import { docx } from "./formats/docx.format";
import { eml } from "./formats/eml.format";
import { epub } from "./formats/epub.format";
import { html } from "./formats/html.format";
import { json } from "./formats/json.format";
import { markdown } from "./formats/markdown.format";
import { mht } from "./formats/mht.format";
import { msg } from "./formats/msg.format";
import { odf } from "./formats/odf.format";
import { pdf } from "./formats/pdf.format";
import { ppt } from "./formats/ppt.format";
import { pptx } from "./formats/pptx.format";
import { rtf } from "./formats/rtf.format";
import { plainText } from "./formats/text.format";
import { wordXml } from "./formats/word-xml.format";
import { xls } from "./formats/xls.format";
import { xlsx } from "./formats/xlsx.format";
import { zip } from "./formats/zip.format";
import { endingOf } from "./formats.shared";
import { refusalOf, sniff } from "./sniff";

const formats: readonly DocumentFormat[] = [
  pdf,
  docx,
  doc,
  wordXml,
  mht,
  xlsx,
  xls,
  pptx,
  ppt,
  epub,
  odf,
  rtf,
  html,
  json,
  markdown,
  csv,
  eml,
  msg,
  plainText,
  // Last: other formats are ZIP archives, too.
  zip,
];

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
  const recognized = formats.find(
    ({ entries = [], streams = [], recognizes }) =>
      entries.some((name) => content.entries.has(name)) ||
      streams.some((name) => content.streams?.has(name)) ||
      recognizes?.(content),
  );
  const named = namedFormat(file);
  // Without its main part, an Office file isn't a folder but damaged.
  if (recognized?.isFolder && named && !named.isText && !named.isFolder) refuseBinary(named);
  if (recognized) return recognized;
  const refusal = refusalOf(content);
  if (refusal) throw invalid(refusal);
  if (!content.isText) refuseBinary(named);
  if (named?.isText) return named;
  const type = mediaTypeOf(file.contentType);
  return formats.find((format) => format.isText && format.types.includes(type)) ?? plainText;
}

async function readAs(format: DocumentFormat, file: SourceFile): Promise<ReadDocument> {
  try {
    if (!format.isText) return await format.read({ ...file, text: "" });
    const { text, facts, notes } = await decodeFile(file);
    const document = await format.read({ ...file, text });
    return notes.reduce(withNote, { ...document, facts: { ...document.facts, ...facts } });
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

/** @throws AppError `invalid` with a message for a person if it is of no supported format */
export async function formatOf(file: SourceFile): Promise<DocumentFormat> {
  if (file.bytes.length === 0) throw invalid("The file is empty. Choose another file.");
  return findFormat(file, await sniff(file));
}

/**
 * Reads a document's text and structure. One of nothing but pictures, whose text can still be recognized, is empty.
 * @throws AppError `invalid` with a message for a person if nothing can be read
 */
export async function readDocument(file: SourceFile): Promise<ReadDocument> {
  const format = await formatOf(file);
  const document = await readAs(format, file);
  if (document.blocks.length > 0) return noteMismatch(document, format, namedFormat(file));
  if (file.recognized && document.facts.imagePages) return document;
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
  if (format.isFolder) throw invalid("This is an archive. Unpack it and attach its files.");
  if (!format.isText || !content.isText) {
    const { text } = await readDocument(file);
    return { mediaType: typeOf(format), text };
  }
  const named = namedFormat(file);
  if (named && !named.isText)
    throw invalid(
      `This isn't a ${named.label} file, despite its name. Export it again, or rename it if it is text.`,
    );
  const { text } = await decodeFile(file);
  if (!/\S/.test(text)) throw invalid("The file has no text. Choose another file.");
  return { mediaType: typeOf(format), text };
}
