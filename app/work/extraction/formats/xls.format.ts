import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { readOldSheets } from "../sheets/read-old-sheets";

/** First record of Excel 2 to 5, which may stand without a container. */
const BARE = ["\t\0\x04\0", "\t\x02\x06\0", "\t\x04\x06\0", "\t\x08\x08\0"];

export const xls: DocumentFormat = {
  label: "Excel 97",
  endings: [".xls", ".xlt"],
  types: ["application/vnd.ms-excel"],
  isText: false,
  streams: ["Workbook", "Book"],
  recognizes: ({ isText, start }) => !isText && BARE.some((record) => start.startsWith(record)),
  async read({ bytes }) {
    const builder = new DocumentBuilder();
    const { title, ...facts } = await readOldSheets(bytes, builder);
    return builder.finish(title, { format: "Excel", pages: facts.sheets.length, ...facts });
  },
};
