import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat } from "../format";
import { readProperties, unpackParts } from "../office";
import { readSheets } from "../sheets/read-sheets";

const isWanted = (name: string) =>
  /\.(?:xml|rels)$/.test(name) &&
  !/^(?:customXml|xl\/(?:theme|media|pivotCache|pivotTables|externalLinks))\//.test(name);

export const xlsx: DocumentFormat = {
  label: "Excel",
  endings: [".xlsx", ".xlsm", ".xltx", ".xltm"],
  types: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  isText: false,
  entries: ["xl/workbook.xml"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const builder = new DocumentBuilder();
    const sheets = await readSheets(parts, builder);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: sheets.length, sheets, ...facts });
  },
};
