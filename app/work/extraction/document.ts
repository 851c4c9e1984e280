export interface Block {
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote";
  level?: number;
  /** Offsets in the document's text, in characters. Blocks don't overlap. */
  start: number;
  end: number;
  /** Page, slide or sheet, from 1. */
  page?: number;
  /** Whether a table's first row is a header. A row is a line, its cells are joined by ` | `. */
  header?: boolean;
  /** Continues the previous block, which was too large for one piece. */
  continued?: boolean;
}

export interface DocumentFacts {
  format: string;
  pages?: number;
  sheets?: string[];
  author?: string;
  language?: string;
  created?: string;
  notes?: string[];
}

/** A document's text, and blocks that cover it except for white space. */
export interface ReadDocument {
  title: string;
  text: string;
  blocks: Block[];
  facts: DocumentFacts;
}

/** A stored piece of a document. It ends between two blocks unless one is too large. */
export interface TextPiece {
  /** Offset in the document's text, in characters. */
  start: number;
  text: string;
  /** `Block[]` as JSON, which the main thread stores without parsing. */
  blocks: string;
}
