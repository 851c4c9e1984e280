import type { DocumentFormat } from "../format";
import { readPdf } from "../pdf/read-pdf";

export const pdf: DocumentFormat = {
  label: "PDF",
  endings: [".pdf"],
  types: ["application/pdf"],
  isText: false,
  // PDF readers accept bytes before the header. A text that mentions it isn't a PDF.
  recognizes: ({ isText, start }) =>
    /^\s{0,9}%PDF-/.test(start) || (!isText && start.slice(0, 1024).includes("%PDF-")),
  read: ({ bytes, recognized }) => readPdf(bytes, recognized),
};
