import { decodeText } from "~/core/charset";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder } from "../document-builder";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { isWebArchive, pageOfArchive } from "../html/web-archive";
import { isRtf, readRtf } from "../rtf/read-rtf";

/** Reads a web page that a Word file contains. All of it is content, unlike that of a site. */
function readInsertedPage(html: string): ReadDocument {
  const builder = new DocumentBuilder();
  addHtml(builder, parseDocument(html).documentElement);
  return builder.finish("", { format: "HTML" });
}

function readInsertedText(text: string): ReadDocument {
  const builder = new DocumentBuilder();
  builder.paragraphs(text);
  return builder.finish("", { format: "Text" });
}

const HTML = /<(?:html|body|head|p|div|table|h[1-6]|ul|ol|span|b|i)[\s>]/i;

/**
 * Reads a part that a Word file inserts as it is (`altChunk`), but for Word files.
 * @returns undefined for a part of another kind
 */
export async function readInserted(bytes: Uint8Array): Promise<ReadDocument | undefined> {
  const start = decodeText(bytes.subarray(0, 4096), "");
  if (isRtf(start)) return readRtf(bytes);
  if (start.includes("\0")) return undefined;
  if (isWebArchive(start)) return readInsertedPage(await pageOfArchive(bytes));
  const text = decodeText(bytes, "text/html");
  return HTML.test(start) ? readInsertedPage(text) : readInsertedText(text);
}
