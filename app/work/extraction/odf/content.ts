import { type DocumentBuilder, oneLine, seemsHeader } from "../document-builder";
import { altTextOf } from "../drawings/alt-text";
import { commentLine, imageLine } from "../labels";
import { countMedia } from "../slides/slide-text";
import { splitTables } from "../sparse-rows";
import { Counter, OUTLINE, type Styles } from "./list-styles";
import { OdfTable, TableRoom } from "./table";

export interface OdfBlock {
  kind: "heading" | "paragraph" | "list" | "table";
  text: string;
  level?: number;
  rows?: string[][];
  header?: boolean;
}

interface Note {
  isComment: boolean;
  mark: string;
  author: string;
  lines: string[];
}

interface List {
  style: string;
  counter: Counter;
  /** Whether the open item has no text yet. */
  isNewItem: boolean;
  hasMarker: boolean;
  start: number | undefined;
}

interface Shape {
  title: string;
  descr: string;
  media: "" | "image" | "object" | "video";
  /** Part of an embedded object. */
  object: string;
}

/** Elements whose text isn't the document's: deletions, programs, numbers of pages. */
const SILENT = new Set([
  "tracked-changes",
  "forms",
  "scripts",
  "event-listeners",
  "content-validations",
  "dde-links",
  "placeholder",
  "page-number",
  "page-count",
]);
const SILENT_CLASSES = new Set(["page-number", "date-time", "footer", "header"]);
const PARAGRAPHS = new Set(["p", "h", "footer-decl", "header-decl"]);
export const SHAPES = new Set([
  "frame",
  "custom-shape",
  "rect",
  "ellipse",
  "circle",
  "polygon",
  "polyline",
  "path",
  "line",
  "connector",
  "caption",
  "g",
]);
const MAX_SPACES = 100;
const MAX_INDENT = 8;

interface OdfOptions {
  builder: DocumentBuilder;
  styles: Styles;
  emit: (block: OdfBlock) => void;
  /** Reads an embedded object, such as a chart. */
  readObject: (part: string) => OdfBlock[];
}

/** Collects the blocks of a part's text: paragraphs, lists, tables, notes and comments. */
export class OdfContent {
  readonly #options: OdfOptions;
  readonly #room = new TableRoom();
  readonly #paragraphs: { text: string; level: number }[] = [];
  readonly #notes: Note[] = [];
  readonly #lists: List[] = [];
  readonly #tables: OdfTable[] = [];
  readonly #shapes: Shape[] = [];
  readonly #headings: Counter;
  readonly #counters = new Map<string, Counter>();
  #lines: string[] = [];
  /** What lies within open paragraphs, lists and tables, such as notes; it follows them. */
  #after: OdfBlock[] = [];
  #silent = 0;
  #field: "author" | "date" | "mark" | "title" | "descr" | "" = "";

  constructor(options: OdfOptions) {
    this.#options = options;
    this.#headings = new Counter(options.styles.lists.get(OUTLINE));
  }

  open(name: string, attributes: Record<string, string>): void {
    const isSilent =
      SILENT.has(name) ||
      attributes["presentation:placeholder"] === "true" ||
      SILENT_CLASSES.has(attributes["presentation:class"] ?? "");
    if (this.#silent > 0 || isSilent) this.#silent += 1;
    else if (PARAGRAPHS.has(name)) {
      this.#field = "";
      this.#paragraphs.push({
        text: "",
        level: name === "h" ? Number(attributes["text:outline-level"]) || 1 : 0,
      });
    } else if (SHAPES.has(name)) this.#shapes.push({ title: "", descr: "", media: "", object: "" });
    else if (!this.#openInline(name, attributes) && !this.#openTable(name, attributes))
      this.#openList(name, attributes);
  }

  #openInline(name: string, attributes: Record<string, string>): boolean {
    const [shape, note] = [this.#shapes.at(-1), this.#notes.at(-1)];
    if (name === "s") this.#write(" ".repeat(Math.min(MAX_SPACES, Number(attributes["text:c"]) || 1)));
    else if (name === "tab") this.#write("\t");
    else if (name === "line-break") this.#write("\n");
    else if (name === "ruby-text") this.#write("(");
    else if (name === "note" || name === "annotation")
      this.#notes.push({ isComment: name === "annotation", mark: "", author: "", lines: [] });
    else if (name === "note-citation" && note) this.#field = "mark";
    else if (name === "creator" && note) this.#field = "author";
    else if (name === "date" && note?.isComment) this.#field = "date";
    else if (name === "title" && shape) this.#field = "title";
    else if (name === "desc" && shape) this.#field = "descr";
    else if (name === "object" && shape) {
      shape.media = "object";
      shape.object = attributes["xlink:href"] ?? "";
    } else if (name === "object-ole" && shape) shape.media = "object";
    else if (name === "plugin" && shape) shape.media = "video";
    else if (name === "image" && shape) shape.media ||= "image";
    else return false;
    return true;
  }

  #openTable(name: string, attributes: Record<string, string>): boolean {
    const table = this.#tables.at(-1);
    if (name === "table") this.#tables.push(new OdfTable(this.#room));
    else if (name === "table-header-rows" && table) table.header ||= table.rows.length === 0;
    else if (name === "table-row") table?.openRow(attributes);
    else if (name === "table-cell" || name === "covered-table-cell")
      table?.openCell(name === "covered-table-cell", attributes);
    else return false;
    return true;
  }

  #openList(name: string, attributes: Record<string, string>): void {
    const list = this.#lists.at(-1);
    if (name === "list") {
      const style = attributes["text:style-name"] ?? list?.style ?? OUTLINE;
      const isContinued =
        attributes["text:continue-numbering"] === "true" || attributes["text:continue-list"] !== undefined;
      const counter =
        (list?.style === style ? list.counter : undefined) ??
        (isContinued ? this.#counters.get(style) : undefined) ??
        new Counter(style ? this.#options.styles.lists.get(style) : undefined);
      this.#counters.set(style, counter);
      this.#lists.push({ style, counter, isNewItem: false, hasMarker: false, start: undefined });
    } else if (list && (name === "list-item" || name === "list-header")) {
      const start = attributes["text:start-value"];
      const hasMarker = name === "list-item";
      Object.assign(list, {
        isNewItem: true,
        hasMarker,
        start: start === undefined ? undefined : Number(start),
      });
    }
  }

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  }

  text(text: string): void {
    if (this.#silent > 0) return;
    const [shape, note] = [this.#shapes.at(-1), this.#notes.at(-1)];
    if (this.#field === "") this.#write(text.replace(/\s+/g, " "));
    else if ((this.#field === "title" || this.#field === "descr") && shape) shape[this.#field] += text;
    else if ((this.#field === "mark" || this.#field === "author") && note) note[this.#field] += text;
  }

  close(name: string): void {
    if (this.#silent > 0) {
      this.#silent -= 1;
      return;
    }
    if (PARAGRAPHS.has(name)) this.#closeParagraph();
    else if (name === "note" || name === "annotation") this.#closeNote();
    else if (name === "ruby-text") this.#write(")");
    else if (SHAPES.has(name)) this.#closeShape();
    else if (name === "table-cell" || name === "covered-table-cell") this.#tables.at(-1)?.closeCell();
    else if (name === "table-row") this.#tables.at(-1)?.closeRow();
    else if (name === "table") this.#closeTable();
    else if (name === "list") {
      this.#lists.pop();
      if (this.#lists.length === 0) this.#endList();
    }
    if (/^(?:creator|date|note-citation|title|desc)$/.test(name)) this.#field = "";
    const isOpen =
      this.#paragraphs.length + this.#lists.length + this.#tables.length + this.#notes.length > 0;
    if (!isOpen && this.#after.length > 0) this.#emitAfter();
  }

  finish(): void {
    this.#emitAfter();
    if (this.#room.isExceeded)
      this.#options.builder.note("Only the first rows and cells of the tables were read.");
  }

  #emitAfter(): void {
    for (const block of this.#after.splice(0)) this.#options.emit(block);
  }

  #endList(): void {
    if (this.#lines.length > 0) this.#options.emit({ kind: "list", text: this.#lines.join("\n") });
    this.#lines = [];
  }

  #closeParagraph(): void {
    const { text, level } = this.#paragraphs.pop() ?? { text: "", level: 0 };
    const [note, table, list] = [this.#notes.at(-1), this.#tables.at(-1), this.#lists.at(-1)];
    if (text.trim() === "") return;
    if (note) note.lines.push(text);
    else if (table) table.lines.push(text);
    else if (this.#paragraphs.length > 0) this.#after.push({ kind: "paragraph", text });
    else if (level > 0) {
      this.#endList();
      const number = list ? this.#markerOf(list) : (this.#headings.next(level) ?? "");
      this.#options.emit({ kind: "heading", level, text: number === "- " ? text : number + text });
    } else if (list) this.#addItem(list, text);
    else this.#options.emit({ kind: "paragraph", text });
  }

  #markerOf(list: List): string {
    const isNew = list.isNewItem && list.hasMarker;
    list.isNewItem = false;
    return isNew ? (list.counter.next(this.#lists.length, list.start) ?? "- ") : "  ";
  }

  #addItem(list: List, text: string): void {
    const indent = "  ".repeat(Math.min(MAX_INDENT, this.#lists.length - 1));
    this.#lines.push(indent + this.#markerOf(list) + oneLine(text));
  }

  #closeNote(): void {
    const note = this.#notes.pop();
    if (!note) return;
    const [text, mark] = [oneLine(note.lines.join(" ")), oneLine(note.mark)];
    if (!note.isComment) this.#write(`[${mark}]`);
    if (!text) return;
    const line = note.isComment ? commentLine(oneLine(note.author), text) : `[${mark}] ${text}`;
    this.#after.push({ kind: "paragraph", text: line });
  }

  #closeShape(): void {
    const shape = this.#shapes.pop();
    if (!shape) return;
    const alt = altTextOf({ title: shape.title, descr: shape.descr });
    if (alt) this.#after.push({ kind: "paragraph", text: imageLine(alt) });
    const blocks = shape.object ? this.#options.readObject(shape.object) : [];
    this.#after.push(...blocks);
    const media = blocks.length > 0 ? "" : shape.media;
    countMedia(this.#options.builder, { media, alt });
  }

  /** A table within a cell becomes the cell's text. */
  #closeTable(): void {
    const table = this.#tables.pop();
    if (!table) return;
    const outer = this.#tables.at(-1);
    if (outer)
      outer.lines.push(table.rows.map(({ cells }) => cells.map(({ text }) => text).join(" ")).join("\n"));
    else {
      const blocks = blocksOf(table);
      if (this.#paragraphs.length > 0) this.#after.push(...blocks);
      else for (const block of blocks) this.#options.emit(block);
    }
  }
}

function blocksOf({ rows, header }: OdfTable): OdfBlock[] {
  const blocks: OdfBlock[] = [];
  for (const { lines, table } of splitTables(rows)) {
    for (const text of lines) blocks.push({ kind: "paragraph", text });
    const isFirst = blocks.length === 0;
    if (table.length > 0)
      blocks.push({
        kind: "table",
        text: "",
        rows: table,
        header: (header && isFirst) || seemsHeader(table),
      });
  }
  return blocks;
}
