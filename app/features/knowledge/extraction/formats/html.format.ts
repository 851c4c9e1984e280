import { type DocumentFormat, textOf } from "../format";
import { readPage } from "../html/page";

export const html: DocumentFormat = {
  label: "HTML",
  endings: [".html", ".htm", ".xhtml"],
  types: ["text/html", "application/xhtml+xml"],
  text: true,
  recognises: ({ text, start }) => text && /^\s{0,99}<(?:!doctype html|html)[\s>]/i.test(start),
  read: (file) => readPage(textOf(file)),
};
