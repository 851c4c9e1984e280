import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";

const BETWEEN_PARAGRAPHS = /\n[^\S\n]*\n/;

/** Adds a text's paragraphs, which blank lines separate. */
export function addParagraphs(builder: DocumentBuilder, text: string): void {
  for (const paragraph of text.replace(/\r\n?/g, "\n").split(BETWEEN_PARAGRAPHS)) {
    builder.add("paragraph", paragraph);
    if (builder.isFull) break;
  }
}

export const plainText: DocumentFormat = {
  label: "Text",
  endings: [".txt", ".text", ".log"],
  types: ["text/plain"],
  isText: true,
  read(file) {
    const builder = new DocumentBuilder();
    addParagraphs(builder, file.text);
    return builder.finish("", { format: this.label });
  },
};
