import { oneLine } from "../document-builder";
import { readXml } from "../office";
import { loadCellFormats, plainNumber } from "../sheets/cell-formats";
import type { Drawing } from "./drawing";

/** Series of a chart and their cached values, categories included. */
const MAX_VALUES = 100_000;

interface Series {
  name: string;
  /** Names of the categories by their index; the innermost level first. */
  levels: Map<number, string>[];
  /** Values by their index: one column, or two if bubbles have a size. */
  columns: Map<number, string>[];
}

interface Content {
  title: string;
  captions: string[];
  series: Series[];
  isCut: boolean;
}

const CATEGORIES = new Set(["cat", "xVal"]);
const VALUES = new Set(["val", "yVal", "bubbleSize", "datalabelsRange"]);
const AXIS = /^(?:cat|val|date|ser)Ax$|^axis$/;
/** Types of the dimensions in charts since Office 2016, which are `cx:data` beside the series. */
const isCategory = (type: string | undefined) => type === "cat" || type === "x" || type === "entityId";

type Place = "title" | "name" | "category" | "value" | "label" | "";
type ShowNumber = (text: string, code: string, is1904: boolean) => string;

/** Shows dates and percentages by their format, other numbers with all their digits. */
async function loadFormats(): Promise<ShowNumber> {
  const [{ isPercentFormat }, from1900, from1904] = await Promise.all([
    import("numfmt"),
    loadCellFormats(false),
    loadCellFormats(true),
  ]);
  return (text, code, is1904) => {
    const number = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(number)) return oneLine(text);
    const format = (is1904 ? from1904 : from1900)(code);
    return format.isDate || isPercentFormat(code) ? format.number(number) : plainNumber(number);
  };
}

/** Collects a chart's content while its XML is read. */
class ChartReader {
  readonly content: Content = { title: "", captions: [], series: [], isCut: false };
  readonly #show: ShowNumber;
  /** What series of charts since Office 2016 refer to. */
  readonly #data = new Map<string, Series>();
  #series: Series | undefined;
  #place: Place = "";
  #column = new Map<number, string>();
  #index = 0;
  #code = "";
  #pointCode = "";
  #text = "";
  #values = 0;
  #is1904 = false;
  #isNumber = false;
  #inText = false;
  #inAxis = false;
  #inLabels = false;
  /** Depth of elements that repeat others: default formats, a filter's copy of the categories. */
  #copies = 0;

  constructor(show: ShowNumber) {
    this.#show = show;
  }

  get #isCopy(): boolean {
    return this.#copies > 0 && !this.#inLabels;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === "extLst" || name === "txPr") this.#copies += 1;
    if (name === "datalabelsRange") this.#inLabels = true;
    if (this.#isCopy) return;
    this.#inText = /^(?:t|v|pt|formatCode)$/.test(name);
    if (/^(?:p|v|pt|formatCode)$/.test(name)) this.#text = "";
    if (/^(?:num|str|multiLvlStr|dlblRange)(?:Cache|Lit|Dim)$/.test(name))
      this.#isNumber = name.startsWith("num");
    if (name === "title") this.#place = "title";
    else if (name === "dLbl") this.#place = "label";
    else if (AXIS.test(name)) this.#inAxis = true;
    else if (name === "date1904") this.#is1904 = attributes.val !== "0";
    else if (name === "br") this.#text += " ";
    else if (name === "pt") {
      this.#index = Number(attributes.idx) || 0;
      this.#pointCode = attributes.formatCode ?? "";
    } else this.#openSeries(name, attributes);
  }

  #openSeries(name: string, attributes: Record<string, string>): void {
    if (/^(?:ser|series|data)$/.test(name) && this.#hasRoom()) {
      this.#series = { name: "", levels: [], columns: [] };
      if (name === "data") this.#data.set(attributes.id ?? "", this.#series);
      else this.content.series.push(this.#series);
    }
    const series = this.#series;
    if (!series) return;
    if (name === "dataId") {
      const data = this.#data.get(attributes.val ?? "");
      if (data) Object.assign(series, { levels: data.levels, columns: data.columns });
    } else if (name === "tx" && this.#place === "") this.#place = "name";
    else if (CATEGORIES.has(name)) this.#openColumn("category");
    else if (VALUES.has(name)) this.#openColumn("value");
    else if (name === "strDim" || name === "numDim")
      this.#openColumn(isCategory(attributes.type) ? "category" : "value");
    else if (name === "lvl" && (this.#place === "category" || this.#place === "value")) {
      if (this.#column.size > 0) this.#openColumn(this.#place);
      this.#code = attributes.formatCode ?? "";
    }
  }

  #openColumn(place: "category" | "value"): void {
    this.#column = new Map();
    this.#place = place;
    this.#code = "";
    this.#series?.[place === "category" ? "levels" : "columns"].push(this.#column);
  }

  text(text: string): void {
    if (this.#inText) this.#text += text;
  }

  close(name: string): void {
    const isValue = this.#place === "category" || this.#place === "value";
    if (!this.#isCopy) {
      this.#inText = false;
      if (name === "formatCode") this.#code = this.#text;
      else if (name === "pt" && isValue) this.#keepValue();
      else if (name === "p" || (name === "v" && !isValue)) this.#keepText();
      else if (AXIS.test(name)) this.#inAxis = false;
      if (/^(?:ser|series|data)$/.test(name)) this.#series = undefined;
      if (/^(?:title|dLbl|strDim|numDim)$/.test(name) || CATEGORIES.has(name) || VALUES.has(name))
        this.#place = "";
      if (name === "tx" && this.#place === "name") this.#place = "";
    }
    if (name === "datalabelsRange") this.#inLabels = false;
    if (name === "extLst" || name === "txPr") this.#copies -= 1;
  }

  #hasRoom(): boolean {
    this.#values += 1;
    this.content.isCut = this.#values > MAX_VALUES;
    return !this.content.isCut;
  }

  #keepValue(): void {
    if (!this.#hasRoom()) return;
    const code = this.#pointCode || this.#code;
    const text = this.#isNumber ? this.#show(this.#text, code, this.#is1904) : oneLine(this.#text);
    this.#column.set(this.#index, text);
  }

  #keepText(): void {
    // Labels name what they show by fields such as `[VALUE]`.
    const line = oneLine(this.#text).replace(/\[[A-Z ]+\]/g, "");
    this.#text = "";
    if (!line) return;
    const join = (text: string) => (text ? `${text} ${line}` : line);
    if (this.#place === "name" && this.#series) this.#series.name = join(this.#series.name);
    else if (this.#place === "title" && !this.#inAxis) this.content.title = join(this.content.title);
    else if (this.#place === "title" || this.#place === "label") this.content.captions.push(line);
  }
}

/** Joins the levels of a category: `2031 / Q1`. An outer level's name counts until its next one. */
function categoriesOf({ levels: [inner, ...outer] }: Series): Map<number, string> {
  const categories = new Map<number, string>();
  const last = outer.map(() => "");
  for (const at of [...(inner?.keys() ?? [])].sort((one, other) => one - other)) {
    for (const [level, names] of outer.entries()) last[level] = names.get(at) ?? last[level] ?? "";
    categories.set(at, [...last.toReversed(), inner?.get(at) ?? ""].filter(Boolean).join(" / "));
  }
  return categories;
}

interface Table {
  key: string;
  categories: Map<number, string>;
  indexes: Set<number>;
  series: Series[];
}

/** Whether a series' values fill a table's rows: with foreign ones, forged indexes would make millions of cells. */
function fits({ columns: [values = new Map()] }: Series, key: string, table: Table): boolean {
  if (key !== table.key && key !== "") return false;
  for (const at of values.keys()) if (!table.indexes.has(at)) return false;
  return values.size * 2 >= table.indexes.size;
}

/** Puts series of the same categories into one table. */
function tablesOf(series: readonly Series[]): Table[] {
  const tables: Table[] = [];
  for (const item of series) {
    const categories = categoriesOf(item);
    const key = categories.size > 0 ? JSON.stringify([...categories]) : "";
    const last = tables.at(-1);
    if (last && fits(item, key, last)) last.series.push(item);
    else {
      const indexes = [...categories.keys(), ...item.columns.flatMap((column) => [...column.keys()])];
      tables.push({
        key,
        categories,
        indexes: new Set(indexes.sort((one, other) => one - other)),
        series: [item],
      });
    }
  }
  return tables;
}

function rowsOf({ categories, indexes, series }: Table): Drawing["tables"][number] {
  const columns = series.flatMap((item) => item.columns);
  const names = series.flatMap(({ name, columns: own }) => own.map((_, at) => (at === 0 ? name : "")));
  const hasCategories = categories.size > 0;
  const row = (first: string, rest: string[]) => (hasCategories ? [first, ...rest] : rest);
  const rows = [...indexes].map((at) =>
    row(
      categories.get(at) ?? "",
      columns.map((column) => column.get(at) ?? ""),
    ),
  );
  const header = names.some(Boolean);
  return { rows: header ? [row("", names), ...rows] : rows, header };
}

/** Reads a chart's titles and the values that the file keeps of its data. */
export async function readChart(part: Uint8Array): Promise<Drawing> {
  const reader = new ChartReader(await loadFormats());
  readXml(part, {
    open: (name, attributes) => reader.open(name, attributes),
    text: (text) => reader.text(text),
    close: (name) => reader.close(name),
  });
  const { title, captions, series, isCut } = reader.content;
  return { title, captions, tables: tablesOf(series).map(rowsOf), points: [], isCut };
}
