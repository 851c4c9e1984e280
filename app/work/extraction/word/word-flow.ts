import { AppError } from "~/core/errors";
import type { DocumentBuilder } from "../document-builder";
import { type Item, linesOf, paragraphItem, type Sink } from "./word-items";
import type { Numbering } from "./word-numbering";
import { Paragraph } from "./word-paragraph";
import type { Styles } from "./word-styles";
import { type CellCount, Table } from "./word-table";

export interface Note {
  author: string;
  text: string;
}

/** What the parts of a Word file share. */
export interface WordDocument {
  builder: DocumentBuilder;
  styles: Styles;
  numbering: Numbering;
  cells: CellCount;
  /** Footnotes, endnotes and comments by kind and ID, such as `footnote 2`, until they are referred to. */
  notes: Map<string, Note>;
}

interface Container {
  sink: Sink;
  /** A paragraph whose mark was deleted, which the next one continues. */
  joined: Paragraph | undefined;
}

/** Tables in tables and text boxes. */
const MAX_CONTAINERS = 200;

/** Paragraphs, tables, text boxes and notes that are open while a part is read. */
export class Flow {
  readonly #document: WordDocument;
  readonly #containers: Container[];
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: Table[] = [];
  #inContents = false;

  constructor(document: WordDocument, sink: Sink) {
    this.#document = document;
    this.#containers = [{ sink, joined: undefined }];
  }

  get paragraph(): Paragraph | undefined {
    return this.#paragraphs.at(-1);
  }

  get table(): Table | undefined {
    return this.#tables.at(-1);
  }

  add(item: Item): void {
    this.#containers.at(-1)?.sink.add(item);
  }

  /** Adds a part that follows the open paragraph. */
  addAfter(item: Item): void {
    const { paragraph } = this;
    if (paragraph) paragraph.after.push(item);
    else this.add(item);
  }

  openParagraph(): void {
    this.#paragraphs.push(new Paragraph());
  }

  closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    const container = this.#containers.at(-1);
    if (!paragraph || !container) return;
    if (container.joined) paragraph.continue(container.joined);
    container.joined = paragraph.isJoined ? paragraph : undefined;
    if (!paragraph.isJoined) this.#write(paragraph);
  }

  openTable(): void {
    this.#tables.push(new Table(this.#document.cells));
  }

  closeTable(): void {
    for (const item of this.#tables.pop()?.finish() ?? []) this.add(item);
  }

  openCell(): void {
    if (!this.table) this.openTable();
    const cell = this.table?.openCell();
    if (cell) this.#push(cell);
  }

  /** Opens a text box; its paragraphs follow the one that it stands in. */
  openBox(): void {
    const { paragraph } = this;
    const outer = this.#containers.at(-1)?.sink;
    this.#push({ add: (item) => (paragraph ? paragraph.after.push(item) : outer?.add(item)) });
  }

  /** @param items gets the paragraphs of a note */
  openNote(items: Item[]): void {
    this.#push({ add: (item) => items.push(item) });
  }

  /** Closes a cell, text box or note. */
  closeContainer(): void {
    const joined = this.#containers.at(-1)?.joined;
    if (joined) this.#write(joined);
    if (this.#containers.length > 1) this.#containers.pop();
  }

  /** Writes what is still open where reading ended early. */
  finish(): void {
    while (this.#paragraphs.length > 0) this.closeParagraph();
    while (this.#containers.length > 1) this.closeContainer();
    while (this.#tables.length > 0) this.closeTable();
    this.closeContainer();
  }

  /** Adds the text of a note below the paragraph that refers to it. */
  addNote(label: string, { text }: Note): void {
    if (text) this.addAfter(paragraphItem([label, text].filter(Boolean).join(" "), true));
  }

  #push(sink: Sink): void {
    if (this.#containers.length > MAX_CONTAINERS) {
      throw new AppError(
        "invalid",
        `This Word file nests tables or text boxes more than ${MAX_CONTAINERS} levels deep. Simplify it and try again.`,
      );
    }
    this.#containers.push({ sink, joined: undefined });
  }

  #write(paragraph: Paragraph): void {
    const { builder, styles, numbering } = this.#document;
    const item = paragraph.finish(styles, numbering);
    if (item) this.add(item);
    for (const part of paragraph.after) this.add(part);
    const isContents = paragraph.isContents(styles);
    if (isContents && !this.#inContents) builder.leaveOut("table of contents", "tables of contents");
    if (isContents || item) this.#inContents = isContents;
  }
}

export function noteOf(author: string, items: readonly Item[]): Note {
  return { author, text: items.flatMap(linesOf).join("\n") };
}
