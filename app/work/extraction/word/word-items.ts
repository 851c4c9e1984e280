import type { ReadDocument } from "../document.schema";
import { type DocumentBuilder, oneLine } from "../document-builder";
import { addDrawing, type Drawing } from "../drawings/drawing";
import type { Marker } from "./word-numbering";

export interface ParagraphItem {
  kind: "paragraph" | "heading" | "quote" | "code" | "list";
  text: string;
  /** Of a heading. */
  level: number;
  marker: Marker | undefined;
  /** True for footnotes and comments, which follow the paragraph that refers to them. */
  isNote: boolean;
}

/** A part of a document in reading order. */
export type Item =
  | ParagraphItem
  | { kind: "table"; rows: string[][]; header: boolean }
  | { kind: "drawing"; drawing: Drawing }
  | { kind: "document"; document: ReadDocument };

export interface Sink {
  add(item: Item): void;
}

export const paragraphItem = (text: string, isNote = false): ParagraphItem => ({
  kind: "paragraph",
  text,
  level: 0,
  marker: undefined,
  isNote,
});

const markedText = ({ marker, text }: ParagraphItem) => (marker?.text ?? "") + text;

/** Lines of a part where only plain text has room, such as in a table's cell. */
export function linesOf(item: Item): string[] {
  switch (item.kind) {
    case "table":
      return item.rows.map((cells) => cells.map(oneLine).filter(Boolean).join(" | "));
    case "drawing": {
      const { title, captions, tables, points } = item.drawing;
      const rows = tables.flatMap(({ rows: cells }) => cells.map((row) => row.filter(Boolean).join(" | ")));
      return [title, ...captions, ...rows, ...points.map(({ text }) => text)].filter(Boolean);
    }
    case "document":
      return [item.document.text];
    default:
      return [markedText(item)];
  }
}

function addDocument(builder: DocumentBuilder, { text, blocks, facts }: ReadDocument): void {
  for (const note of facts.notes ?? []) builder.note(note);
  for (const { kind, level, header, start, end } of blocks) {
    const content = text.slice(start, end);
    if (kind === "heading") builder.heading(level ?? 1, content);
    else builder.add(kind, content, header ? { header } : {});
  }
}

/** Writes parts as blocks: items of lists and lines of code that follow each other become one. */
export class ItemWriter implements Sink {
  readonly #builder: DocumentBuilder;
  #group: "list" | "code" | undefined;
  #lines: string[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  add(item: Item): void {
    if (item.kind === "list") this.#addLines("list", listLines(item));
    else if (item.kind === "code") this.#addLines("code", [markedText(item)]);
    else if (item.kind === "paragraph" && item.isNote && this.#group === "list") {
      this.#addLines("list", indented(item.text, "  "));
    } else this.#addBlock(item);
  }

  /** Ends the list or code that is being collected. */
  flush(): void {
    if (this.#group) this.#builder.add(this.#group, this.#lines.join("\n"));
    this.#group = undefined;
    this.#lines = [];
  }

  #addLines(group: "list" | "code", lines: readonly string[]): void {
    if (this.#group !== group) this.flush();
    this.#group = group;
    this.#lines.push(...lines);
  }

  #addBlock(item: Exclude<Item, { kind: "list" | "code" }>): void {
    this.flush();
    if (item.kind === "heading") this.#builder.heading(item.level, markedText(item));
    else if (item.kind === "table") this.#builder.table(item.rows, { header: item.header });
    else if (item.kind === "drawing") addDrawing(this.#builder, item.drawing);
    else if (item.kind === "document") addDocument(this.#builder, item.document);
    else this.#builder.add(item.kind, markedText(item));
  }
}

const indented = (text: string, indent: string) => text.split("\n").map((line) => indent + line);

function listLines({ text, marker }: ParagraphItem): string[] {
  const first = "  ".repeat(marker?.level ?? 0) + (marker?.text ?? "");
  const [line = "", ...rest] = text.split("\n");
  return [first + line, ...rest.map((item) => " ".repeat(first.length) + item)];
}
