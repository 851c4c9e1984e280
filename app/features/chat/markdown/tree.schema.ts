// Types and numbers alone: the browser draws trees without carrying the schemas' library.

/** A stretch of a line. A bare string is text; `href` is what the text says and is judged where it is drawn. */
export type Inline =
  | string
  | { t: "strong" | "em" | "del"; c: Inline[] }
  | { t: "code"; v: string }
  | { t: "br" }
  | { t: "link"; href: string; label: string; c: Inline[] }
  | { t: "image"; href: string; label: string };

export type Align = "left" | "center" | "right" | null;

/** A block as it is drawn. `plain` and `code` name their text by its place where it is in the message itself. */
export type Block =
  | { t: "p"; c: Inline[] }
  | { t: "line"; c: Inline[] }
  | { t: "heading"; depth: number; c: Inline[] }
  | { t: "code"; lang: string; v: string }
  | { t: "quote"; c: Block[] }
  | { t: "list"; start: number | null; items: Block[][] }
  | { t: "table"; align: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { t: "hr" }
  | { t: "plain"; from: number; to: number };

/** A text's blocks, the length of the text they were read from, and about how many elements they are. */
export interface RenderedText {
  length: number;
  nodes: number;
  blocks: Block[];
}

/** Another number makes every stored tree be read again from its text. */
export const TREE_VERSION = 1;

/** What is sent to the screen: for each part of a message its tree, null where the part has no text. */
export interface RenderedMessage {
  version: number;
  parts: (RenderedText | null)[];
}
