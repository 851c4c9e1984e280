import mammoth from "mammoth";
import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { readProperties } from "../office/core-properties";
import { boundElements } from "../office/elements";
import { packParts, unpackParts } from "../office/zip";

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
  recognises: ({ entries }) => entries.has("word/document.xml") || entries.has("word/document2.xml"),
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
