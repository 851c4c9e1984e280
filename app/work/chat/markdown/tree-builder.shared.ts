import type { Token } from "markdown-it";
import { clip } from "~/core/well-formed";
import type { Align, Block, Inline } from "./tree.shared";

/** Prose doesn't nest deeper. */
export const MAX_DEPTH = 40;
/** Elements of a code block with its buttons. */
const CODE_NODES = 24;

class BudgetExceeded extends Error {}

/** Builds the tree of a block's tokens within the elements that remain. */
export class TreeBuilder {
  #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  /** Remaining elements. */
  nodes: number;

  constructor(tokens: readonly Token[], nodes: number) {
    this.#tokens = tokens;
    this.nodes = nodes;
  }

  #spend(nodes = 1): void {
    this.nodes -= nodes;
    if (this.nodes < 0 || this.#depth > MAX_DEPTH) throw new BudgetExceeded();
  }

  /** What is drawn of the tokens up to a closing one. */
  #until<T>(close: string | undefined, draw: (token: Token) => T): T[] {
    const drawn: T[] = [];
    this.#depth += 1;
    for (let token = this.#next(); token && token.type !== close; token = this.#next())
      drawn.push(draw(token));
    this.#depth -= 1;
    return drawn;
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  blocks(close?: string): Block[] {
    return this.#until(close, (token) => this.#block(token));
  }

  #block(token: Token): Block {
    this.#spend();
    switch (token.type) {
      case "hr":
        return { t: "hr" };
      case "heading_open":
        return { t: "heading", depth: Number(token.tag.slice(1)), c: this.#inlines("heading_close") };
      case "paragraph_open":
        return { t: token.hidden ? "line" : "p", c: this.#inlines("paragraph_close") };
      case "math_block":
        return { t: "p", c: [{ t: "math", v: token.content }] };
      case "blockquote_open":
        return { t: "quote", c: this.blocks("blockquote_close") };
      case "bullet_list_open":
        return { t: "list", start: null, items: this.#items("bullet_list_close") };
      case "ordered_list_open":
        return {
          t: "list",
          start: Number(token.attrGet("start") ?? 1),
          items: this.#items("ordered_list_close"),
        };
      case "table_open":
        return this.#table();
      default:
        this.#spend(CODE_NODES);
        return { t: "code", lang: clip(token.info.trim(), 100), v: token.content.replace(/\n$/, "") };
    }
  }

  #items(close: string): Block[][] {
    return this.#until(close, () => {
      this.#spend();
      const item = this.blocks("list_item_close");
      const [first] = item;
      const text = first && "c" in first ? first.c[0] : undefined;
      if (first && "c" in first && typeof text === "string")
        first.c[0] = text.replace(/^\[[ xX]\](?=\s)/, (box) => (box === "[ ]" ? "☐" : "☑"));
      return item;
    });
  }

  #table(): Block {
    const align: Align[] = [];
    const rows: Inline[][][] = [];
    this.#until("table_close", (token) => {
      if (token.type !== "tr_open") return;
      const cells = this.#until("tr_close", ({ type, attrs }) => {
        this.#spend();
        const side = String(attrs?.[0]?.[1] ?? "").replace("text-align:", "");
        if (rows.length === 0) align.push((side || null) as Align);
        return this.#inlines(type.replace("_open", "_close"));
      });
      rows.push(cells);
    });
    return { t: "table", align, head: rows[0] ?? [], rows: rows.slice(1) };
  }

  #inlines(close: string): Inline[] {
    return this.#until(close, ({ children }) => {
      const [tokens, at] = [this.#tokens, this.#at];
      this.#tokens = children ?? [];
      this.#at = 0;
      const inlines = this.#inline(undefined);
      this.#tokens = tokens;
      this.#at = at;
      return inlines;
    }).flat();
  }

  #inline(close: string | undefined): Inline[] {
    const inlines: Inline[] = [];
    this.#until(close, (token) => {
      this.#spend();
      const inline = this.#inlineOf(token);
      const before = inlines.at(-1);
      if (typeof inline === "string" && typeof before === "string")
        inlines[inlines.length - 1] = before + inline;
      else if (inline !== "") inlines.push(inline);
    });
    return inlines;
  }

  #inlineOf(token: Token): Inline {
    switch (token.type) {
      case "strong_open":
        return { t: "strong", c: this.#inline("strong_close") };
      case "em_open":
        return { t: "em", c: this.#inline("em_close") };
      case "s_open":
        return { t: "del", c: this.#inline("s_close") };
      case "code_inline":
        return { t: "code", v: token.content };
      case "hardbreak":
        return { t: "br" };
      case "softbreak":
        return "\n";
      case "math":
        return { t: "math", v: token.content };
      case "link_open": {
        const c = this.#inline("link_close");
        return { t: "link", href: String(token.attrGet("href") ?? ""), label: textOf(c), c };
      }
      case "image":
        return { t: "image", href: String(token.attrGet("src") ?? ""), label: token.content };
      default:
        // HTML included: a model's markup is text.
        return token.content;
    }
  }
}

const textOf = (inlines: readonly Inline[]): string =>
  inlines
    .map((one) => {
      if (typeof one === "string") return one;
      if ("c" in one) return textOf(one.c);
      return "v" in one ? one.v : "label" in one ? one.label : "\n";
    })
    .join("");
