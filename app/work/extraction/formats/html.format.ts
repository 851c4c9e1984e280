import type { DocumentFormat } from "../format";
import { HTML_START, readPage } from "../html/page";

export const html: DocumentFormat = {
  label: "HTML",
  endings: [".html", ".htm", ".xhtml"],
  types: ["text/html", "application/xhtml+xml"],
  isText: true,
  recognizes: ({ isText, start }) => isText && HTML_START.test(start),
  read: (file) => readPage(file.text),
};
