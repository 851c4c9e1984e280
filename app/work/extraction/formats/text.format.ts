import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";

const BETWEEN_PARAGRAPHS = /\n[^\S\n]*\n/;

export const plainText: DocumentFormat = {
  label: "Text",
  endings: [".txt", ".text", ".log"],
  types: ["text/plain"],
  isText: true,
  read(file) {
    const builder = new DocumentBuilder();
    for (const paragraph of file.text.replace(/\r\n?/g, "\n").split(BETWEEN_PARAGRAPHS)) {
      builder.add("paragraph", paragraph);
      if (builder.isFull) break;
    }
    return builder.finish("", { format: this.label });
  },
};
