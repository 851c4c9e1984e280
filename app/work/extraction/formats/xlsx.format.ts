import type { DocumentFormat } from "../format";
import { readProperties } from "../office/core-properties";
import { unpackParts } from "../office/zip";
import { readSheets } from "../sheets/read-sheets";

const isWanted = (name: string) =>
  /\.(?:xml|rels)$/.test(name) &&
  !/^(?:customXml|xl\/(?:theme|drawings|charts|media|pivotCache|pivotTables|externalLinks))\//.test(name);

export const xlsx: DocumentFormat = {
  label: "Excel",
  endings: [".xlsx", ".xlsm", ".xltx"],
  types: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  isText: false,
  recognises: ({ entries }) => entries.has("xl/workbook.xml"),
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const { builder, sheets } = await readSheets(parts);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: sheets.length, sheets, ...facts });
  },
};
