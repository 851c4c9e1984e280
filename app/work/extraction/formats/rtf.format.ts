import type { DocumentFormat } from "../format";
import { isRtf, readRtf } from "../rtf/read-rtf";

export const rtf: DocumentFormat = {
  label: "RTF",
  endings: [".rtf"],
  types: ["application/rtf", "text/rtf"],
  isText: false,
  recognizes: ({ start }) => isRtf(start),
  read: ({ bytes }) => readRtf(bytes),
};
