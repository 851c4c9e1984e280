import { type DocumentBuilder, shortText } from "../document-builder";
import { type Parts, readXml } from "../office";
import { type Relationship, readRelationships, relationOf } from "../office-relationships";
import { loadBuiltInCodes, loadCellFormats } from "./cell-formats";
import { readSharedStrings } from "./strings";
import type { Book } from "./worksheet";

export const WORKBOOK = "xl/workbook.xml";
const MAX_SHEETS = 1000;
const MAX_NAME_LENGTH = 100;

interface ListedSheet {
  name: string;
  isHidden: boolean;
  /** Name of its part. */
  part: string;
  /** Of its relationship: `worksheet`, `chartsheet`, `dialogsheet`, `xlMacrosheet`. */
  type: string;
}

interface Workbook extends Book {
  sheets: ListedSheet[];
}

interface Styles {
  /** Codes of the file's own formats, some of which have numbers that Excel itself uses in other languages. */
  codes: Map<number, string>;
  /** Numbers of formats by the index of a cell's style. */
  ids: number[];
}

function readStyles(part: Uint8Array | undefined): Styles {
  const styles: Styles = { codes: new Map(), ids: [] };
  let list = "";
  if (!part) return styles;
  readXml(part, {
    open(name, { numFmtId = "", formatCode = "" }) {
      if (name === "numFmts" || name === "cellXfs") list = name;
      else if (name === "numFmt" && list === "numFmts") styles.codes.set(Number(numFmtId), formatCode);
      else if (name === "xf" && list === "cellXfs") styles.ids.push(Number(numFmtId));
    },
    close(name) {
      if (name === list) list = "";
    },
  });
  return styles;
}

async function loadStyles(part: Uint8Array | undefined, is1904: boolean): Promise<Book["formatOf"]> {
  const { codes, ids } = readStyles(part);
  const [formatWith, builtIn] = [await loadCellFormats(is1904), await loadBuiltInCodes()];
  return (style) => {
    const id = ids[style] ?? 0;
    return formatWith(codes.get(id) ?? builtIn(id));
  };
}

/** Reads the list of sheets, and what they share. A sheet that is listed again is read once. */
export async function readWorkbook(parts: Parts, builder: DocumentBuilder): Promise<Workbook> {
  const relationships = readRelationships(parts, WORKBOOK);
  const byId = new Map(relationships.map((item) => [item.id, item]));
  const partOf = (kind: string) => parts.get(relationships.find(({ type }) => type === kind)?.target ?? "");
  const sheets = new Map<string, ListedSheet>();
  let is1904 = false;
  readXml(parts.get(WORKBOOK) ?? new Uint8Array(), {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = /^(?:1|true)$/.test(attributes.date1904 ?? "");
      const { target: part, type }: Partial<Relationship> =
        (name === "sheet" && byId.get(relationOf(attributes))) || {};
      if (!part || !type || sheets.has(part)) return;
      if (sheets.size >= MAX_SHEETS)
        builder.note(`Only the first ${MAX_SHEETS.toLocaleString("en")} sheets were read.`);
      else
        sheets.set(part, {
          name: shortText(attributes.name, MAX_NAME_LENGTH),
          isHidden: (attributes.state ?? "visible") !== "visible",
          part,
          type,
        });
    },
  });
  return {
    sheets: [...sheets.values()],
    strings: readSharedStrings(partOf("sharedStrings")),
    is1904,
    formatOf: await loadStyles(partOf("styles"), is1904),
  };
}
