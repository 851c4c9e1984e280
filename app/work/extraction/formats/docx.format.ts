import mammoth from "mammoth";
import { AppError } from "~/core/errors";
import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { type Parts, packParts, readProperties, unpackParts } from "../office";

/** About 600 MB as a tree; a text of maximum length needs half as many. */
const MAX_ELEMENTS = 400_000;
const [OPEN, SLASH] = [0x3c, 0x2f];

/**
 * Limits the elements of all parts before a library builds trees.
 * @throws AppError `invalid` if there are too many
 */
function boundElements(parts: Parts): void {
  let count = 0;
  for (const bytes of parts.values()) {
    for (let at = bytes.indexOf(OPEN); at >= 0; at = bytes.indexOf(OPEN, at + 1)) {
      if (bytes[at + 1] !== SLASH) count += 1;
      if (count <= MAX_ELEMENTS) continue;
      throw new AppError(
        "invalid",
        `The file has more than ${MAX_ELEMENTS.toLocaleString("en")} elements, which is too many. Split it into smaller files.`,
      );
    }
  }
}

const isWanted = (name: string) =>
  /\.(?:xml|rels)$/.test(name) && !/^(?:customXml|word\/(?:theme|embeddings|media))\//.test(name);

/** In addition to mammoth's defaults for headings and lists. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
];

export const docx: DocumentFormat = {
  label: "Word",
  endings: [".docx", ".docm", ".dotx"],
  types: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  isText: false,
  parts: ["word/document.xml", "word/document2.xml"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    boundElements(parts);
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(packParts(parts)) },
      { styleMap: STYLES, convertImage: mammoth.images.imgElement(async () => ({ src: "" })) },
    );
    const builder = new DocumentBuilder();
    addHtml(builder, parseDocument(value).documentElement);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, ...facts });
  },
};
