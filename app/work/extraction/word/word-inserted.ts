import { decodeText } from "~/core/charset";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder } from "../document-builder";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";

/** The head of a page that was saved with its images as one file (MHTML). */
const WEB_ARCHIVE =
  /^\s{0,99}(?:[\w-]{1,50}:[^\n]{0,500}\n(?:[ \t][^\n]{0,500}\n){0,9}){0,20}Content-Type:\s*multipart\/related/i;

export const isWebArchive = (start: string): boolean => WEB_ARCHIVE.test(start);

/** @returns the HTML of the page; empty if it has none */
export async function pageOfArchive(bytes: Uint8Array): Promise<string> {
  const { default: PostalMime } = await import("postal-mime");
  const { html, text } = await PostalMime.parse(bytes, { maxNestingDepth: 20 });
  return html ?? text ?? "";
}

/** Reads a web page that a Word file contains. All of it is content, unlike that of a site. */
function readInsertedPage(html: string): ReadDocument {
  const builder = new DocumentBuilder();
  addHtml(builder, parseDocument(html).documentElement);
  return builder.finish("", { format: "HTML" });
}

function readInsertedText(text: string): ReadDocument {
  const builder = new DocumentBuilder();
  for (const paragraph of text.split(/\n\s*\n/)) builder.add("paragraph", paragraph);
  return builder.finish("", { format: "Text" });
}

const HTML = /<(?:html|body|head|p|div|table|h[1-6]|ul|ol|span|b|i)[\s>]/i;

/**
 * Reads a part that a Word file inserts as it is (`altChunk`), but for Word files.
 * @returns undefined for a part of another kind
 */
export async function readInserted(bytes: Uint8Array): Promise<ReadDocument | undefined> {
  const start = decodeText(bytes.subarray(0, 4096), "");
  if (start.startsWith("{\\rtf") || start.includes("\0")) return undefined;
  if (isWebArchive(start)) return readInsertedPage(await pageOfArchive(bytes));
  const text = decodeText(bytes, "text/html");
  return HTML.test(start) ? readInsertedPage(text) : readInsertedText(text);
}
