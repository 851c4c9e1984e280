import { type DocumentFormat, textOf } from "../format";
import { readPage } from "../html/page";

export const html: DocumentFormat = {
  label: "HTML",
  endings: [".html", ".htm", ".xhtml"],
  types: ["text/html", "application/xhtml+xml"],
  isText: true,
  recognises: ({ isText, start }) => isText && /^\s{0,99}<(?:!doctype html|html)[\s>]/i.test(start),
  read: (file) => readPage(textOf(file)),
};
