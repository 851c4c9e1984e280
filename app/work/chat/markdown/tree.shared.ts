// Types and numbers only: the browser draws trees without loading zod.

/** A bare string is text; `href` is unchecked until it is drawn. */
export type Inline =
  | string
  | { t: "strong" | "em" | "del"; c: Inline[] }
  | { t: "code"; v: string }
  | { t: "br" }
  | { t: "link"; href: string; label: string; c: Inline[] }
  | { t: "image"; href: string; label: string }
  /** The formula with its delimiters, and its MathML if typeset. */
  | { t: "math"; v: string; m?: MathElement | undefined };

export interface MathElement {
  n: string;
  a?: Record<string, string> | undefined;
  c: (string | MathElement)[];
}

/** Presentation MathML: none makes a request, links or runs code. */
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

/** `plain` and `code` refer to the message's text by position. */
export type Block =
  | { t: "p"; c: Inline[] }
  | { t: "line"; c: Inline[] }
  | { t: "heading"; depth: number; c: Inline[] }
  | { t: "code"; lang: string; v: string }
  | { t: "quote"; c: Block[] }
  | { t: "list"; start: number | null; items: Block[][] }
  | { t: "table"; align: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { t: "hr" }
  /** `unread` in the browser, until it is parsed. */
  | { t: "plain"; from: number; to: number; unread?: true };

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

function firstLetter(
  nodes: readonly (Inline | Block | readonly Inline[] | readonly Block[])[],
): string | undefined {
  for (const node of nodes) {
    let letter: string | undefined;
    if (typeof node === "string") letter = LETTER.exec(node)?.[0];
    else if ("length" in node) letter = firstLetter(node);
    else if ("c" in node) letter = firstLetter(node.c);
    else if (node.t === "list") letter = firstLetter(node.items);
    else if (node.t === "table") letter = firstLetter([...node.head, ...node.rows.flat()]);
    if (letter) return letter;
  }
  return undefined;
}

/**
 * The direction of a list, quote or table, by its first letter: `dir="auto"` passes over the paragraphs and cells in it,
 * since they have their own.
 */
export const directionOf = (block: Block): "rtl" | undefined =>
  RIGHT_TO_LEFT.test(firstLetter([block]) ?? "") ? "rtl" : undefined;

export interface RenderedText {
  length: number;
  nodes: number;
  blocks: Block[];
}

/** Increment to reparse stored trees. */
export const TREE_VERSION = 3;

/** A tree per part of a message; null for parts without text. */
export interface RenderedMessage {
  version: number;
  parts: (RenderedText | null)[];
}
