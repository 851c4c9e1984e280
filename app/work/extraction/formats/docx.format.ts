import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { readProperties, unpackParts } from "../office";
import { isMainPart, isWordPart, readWord } from "../word/read-word";

export const docx: DocumentFormat = {
  label: "Word",
  endings: [".docx", ".docm", ".dotx", ".dotm"],
  types: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  isText: false,
  recognizes: ({ entries }) => [...entries].some(isMainPart),
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWordPart);
    const builder = new DocumentBuilder();
    await readWord(parts, builder);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, ...facts });
  },
};
