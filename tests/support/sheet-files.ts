import { makeZip } from "./document-files";

const TRANSITIONAL = {
  main: "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
  relations: "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
};
const STRICT = {
  main: "http://purl.oclc.org/ooxml/spreadsheetml/main",
  relations: "http://purl.oclc.org/ooxml/officeDocument/relationships",
};

/** Id, type and target; targets with a scheme are external. */
type Relation = readonly [id: string, type: string, target: string];

interface SheetXml {
  name?: string;
  /** Rows, below `sheetData`. */
  rows?: string;
  /** What follows the rows: merged cells, links, the drawing. */
  rest?: string;
  /** What precedes the rows: columns. */
  start?: string;
  state?: string;
  /** `worksheet` by default. */
  type?: string;
  relations?: readonly Relation[];
}

interface WorkbookXml {
  /** Codes of formats, each with its number; a cell's style is its place among them, from 1. */
  formats?: readonly (readonly [id: number, code?: string])[];
  /** Elements of a shared string. */
  strings?: readonly string[];
  is1904?: boolean;
  isStrict?: boolean;
  /** Relations of the workbook beside its sheets. */
  relations?: readonly Relation[];
  parts?: Record<string, string>;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** An Excel file from its XML, for what no program writes easily. */
export function makeWorkbook(sheets: readonly SheetXml[], options: WorkbookXml = {}): Uint8Array {
  const { formats = [], strings = [], is1904 = false, isStrict = false, parts = {} } = options;
  const { main, relations } = isStrict ? STRICT : TRANSITIONAL;
  const rels = (list: readonly Relation[]) => {
    const lines = list.map(([id, type, target]) => {
      const mode = /^\w+:/.test(target) ? ' TargetMode="External"' : "";
      return `<Relationship Id="${id}" Type="${relations}/${type}" Target="${escaped(target)}"${mode}/>`;
    });
    return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join("")}</Relationships>`;
  };
  const ownFormats = formats.flatMap(([id, code]) =>
    code === undefined ? [] : `<numFmt numFmtId="${id}" formatCode="${escaped(code)}"/>`,
  );
  const styles = formats.map(([id]) => `<xf numFmtId="${id}"/>`);
  const listed = sheets.map(
    ({ name = `Sheet${sheets.length}`, state = "visible" }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
  );
  const own = sheets.flatMap(({ rows = "", rest = "", start = "", relations: links }, at) => [
    [
      `xl/worksheets/sheet${at + 1}.xml`,
      `<worksheet xmlns="${main}" xmlns:r="${relations}">${start}<sheetData>${rows}</sheetData>${rest}</worksheet>`,
    ],
    ...(links ? [[`xl/worksheets/_rels/sheet${at + 1}.xml.rels`, rels(links)]] : []),
  ]);
  return makeZip({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr date1904="${Number(is1904)}"/><sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": rels([
      ...sheets.map(
        ({ type = "worksheet" }, at) => [`rId${at + 1}`, type, `worksheets/sheet${at + 1}.xml`] as const,
      ),
      ["styles", "styles", "styles.xml"],
      ["strings", "sharedStrings", "sharedStrings.xml"],
      ...(options.relations ?? []),
    ]),
    "xl/styles.xml": `<styleSheet xmlns="${main}"><numFmts>${ownFormats.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `<sst xmlns="${main}">${strings.map((item) => `<si>${item}</si>`).join("")}</sst>`,
    ...Object.fromEntries(own),
    ...parts,
  });
}

/** A row of cells without references: numbers, and texts within the cell. @param style of the numbers */
export function sheetRow(values: readonly (string | number)[], style = 0): string {
  const cells = values.map((value) =>
    typeof value === "number"
      ? `<c s="${style}"><v>${value}</v></c>`
      : `<c t="inlineStr"><is><t>${escaped(value)}</t></is></c>`,
  );
  return `<row>${cells.join("")}</row>`;
}
