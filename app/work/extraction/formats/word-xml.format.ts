import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { type Parts, readProperties } from "../office";
import { isWordPart, readWord } from "../word/read-word";

const START = /^\s{0,99}(?:<\?[^>]{0,200}\?>\s{0,99}){0,3}<(?:pkg:package|w:wordDocument)[\s>]/;
const PART = /<pkg:part\s[^>]{0,500}?pkg:name="\/([^"]{1,300})"[^>]{0,500}>/g;
const [OPEN, CLOSE] = ["<pkg:xmlData", "</pkg:xmlData>"];
const MAX_PARTS = 10_000;

/** Takes the parts of a Word file out of the one XML file that holds them. */
function readParts(text: string): Parts {
  const parts: Parts = new Map();
  for (const match of text.matchAll(PART)) {
    const open = text.indexOf(OPEN, match.index);
    const start = text.indexOf(">", open) + 1;
    const end = text.indexOf(CLOSE, start);
    // Other parts, such as images, have binary data.
    if (open < 0 || end < 0 || parts.size >= MAX_PARTS) break;
    const next = text.indexOf("<pkg:part", match.index + 1);
    const name = match[1] ?? "";
    if ((next < 0 || open < next) && isWordPart(name)) parts.set(name, Buffer.from(text.slice(start, end)));
  }
  return parts;
}

/** Word files saved as one XML file. */
export const wordXml: DocumentFormat = {
  label: "Word",
  endings: [],
  types: [],
  isText: false,
  recognizes: ({ isText, start }) => isText && START.test(start),
  async read({ bytes, contentType }) {
    const text = decodeText(bytes, contentType);
    if (/<w:wordDocument[\s>]/.test(text.slice(0, 4096))) {
      throw new AppError("invalid", "This is Word 2003 XML. Save it as .docx and try again.");
    }
    const parts = readParts(text);
    const builder = new DocumentBuilder();
    await readWord(parts, builder);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, ...facts });
  },
};
