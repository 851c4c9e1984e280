import { openCompoundFile } from "../compound-file";
import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { readDoc } from "../word/doc/read-doc";

/** Word 97 to 2003. */
export const doc: DocumentFormat = {
  label: "Word 97–2003",
  endings: [".doc", ".dot"],
  types: ["application/msword"],
  streams: ["WordDocument"],
  isText: false,
  read({ bytes }) {
    const file = openCompoundFile(bytes);
    if (!file) throw new Error("no compound file");
    const builder = new DocumentBuilder();
    readDoc(file, builder);
    return builder.finish("", { format: this.label });
  },
};
