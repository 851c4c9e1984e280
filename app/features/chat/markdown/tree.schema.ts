// Types and numbers alone: the browser draws trees without carrying the schemas' library.

/** A stretch of a line. A bare string is text; `href` is what the text says and is judged where it is drawn. */
export type Inline =
  | string
  | { t: "strong" | "em" | "del"; c: Inline[] }
  | { t: "code"; v: string }
  | { t: "br" }
  | { t: "link"; href: string; label: string; c: Inline[] }
  | { t: "image"; href: string; label: string }
  /** A formula with its delimiters, and as MathML where the server has typeset it. */
  | { t: "math"; v: string; m?: MathElement | undefined };

/** An element of MathML with its attributes. */
export interface MathElement {
  n: string;
  a?: Record<string, string> | undefined;
  c: (string | MathElement)[];
}

/** Presentation elements of MathML: none makes a request, links or runs anything. */
const MATH_ELEMENTS = new Set(
  "mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mpadded mphantom menclose msub msup msubsup munder mover munderover mtable mtr mtd".split(
    " ",
  ),
);
const MATH_ATTRIBUTES = new Set(
  "accent accentunder columnalign columnlines columnspacing depth displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width".split(
    " ",
  ),
);

export const isMathElement = (name: string): boolean => MATH_ELEMENTS.has(name);
export const isMathAttribute = (name: string, value: string): boolean =>
  MATH_ATTRIBUTES.has(name) && /^[\w .#%+-]{0,200}$/.test(value);

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
export const TREE_VERSION = 2;

/** What is sent to the screen: for each part of a message its tree, null where the part has no text. */
export interface RenderedMessage {
  version: number;
  parts: (RenderedText | null)[];
}
