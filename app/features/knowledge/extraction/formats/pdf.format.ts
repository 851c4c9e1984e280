import type { DocumentFormat } from "../format";
import { readPdf } from "../pdf/read-pdf";

export const pdf: DocumentFormat = {
  label: "PDF",
  endings: [".pdf"],
  types: ["application/pdf"],
  text: false,
  // Readers accept some bytes before the header; a text that speaks of it is no PDF.
  recognises: ({ text, start }) =>
    /^\s{0,9}%PDF-/.test(start) || (!text && start.slice(0, 1024).includes("%PDF-")),
  read: ({ bytes }) => readPdf(bytes),
};
