import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";

export const plainText: DocumentFormat = {
  label: "Text",
  endings: [".txt", ".text", ".log"],
  types: ["text/plain"],
  isText: true,
  read(file) {
    const builder = new DocumentBuilder();
    builder.paragraphs(file.text);
    return builder.finish("", { format: this.label });
  },
};
