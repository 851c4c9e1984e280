import type { DocumentFormat } from "../format";
import { loadDecoder } from "../rtf/code-pages";
import { RtfReader } from "../rtf/read-rtf";

export const rtf: DocumentFormat = {
  label: "RTF",
  endings: [".rtf"],
  types: ["application/rtf", "text/rtf"],
  isText: false,
  recognises: ({ start }) => /^\ufeff?\s{0,99}\{\\rtf/.test(start),
  async read({ bytes }) {
    const reader = new RtfReader(await loadDecoder());
    reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
    return reader.builder.finish(reader.title, {
      format: this.label,
      ...(reader.author ? { author: reader.author } : {}),
    });
  },
};
