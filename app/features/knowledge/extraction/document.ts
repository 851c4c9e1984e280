/** What a document's text consists of, in order. A heading has its level from 1 to 6. */
export interface Block {
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote";
  /** Of a heading. */
  level?: number;
  /** Its place in the whole text, in characters, the end not included. Blocks don't overlap. */
  start: number;
  end: number;
  /** From 1, where the format has pages, slides or sheets. */
  page?: number;
  /** Whether a table's first row is a header. A row is a line, its cells are joined by ` | `. */
  header?: boolean;
  /** It continues from the block before it: a block too large for one piece was cut. */
  continued?: boolean;
}

/** What the formats report of a document beside its text. */
export interface DocumentFacts {
  /** `PDF`, `Word`, `Excel`, `PowerPoint`, `HTML`, `Markdown`, `CSV`, `JSON`, `Text`. */
  format: string;
  pages?: number;
  /** Names of a workbook's sheets, in the order of their pages. */
  sheets?: string[];
  author?: string;
  language?: string;
  /** Creation date from the document itself. */
  created?: string;
  /** What a person should know: pages without text, a sheet that was cut off. */
  notes?: string[];
}

/** A document as it was read: its whole text, and the blocks that cover all of it but the white space between them. */
export interface ReadDocument {
  /** Its own title; empty where it has none. */
  title: string;
  text: string;
  blocks: Block[];
  facts: DocumentFacts;
}

/** A piece of a read document as it is stored: it ends between two blocks, unless one alone is too large. */
export interface TextPiece {
  /** Where it begins in the whole text, in characters. All pieces' texts, joined, are the whole text. */
  start: number;
  text: string;
  /** Its blocks (`Block[]`) as JSON: the main thread stores it without ever looking inside. */
  blocks: string;
}
