import MarkdownIt, { type StateBlock, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { clip } from "~/core/well-formed";
import { formulas } from "./formula.shared";
import type { Align, Block, Inline, RenderedText } from "./tree.shared";

/** Formatting limits per text, in characters and elements; the rest is plain text. */
const MAX_CHARACTERS = 200_000;
const MAX_NODES = 12_000;
/** Characters of a paragraph, cell or heading; the parser is quadratic in some of their marks. */
const MAX_INLINE = 12_000;
const BLOCK_NODES = 2;
/** Cells of a table: its rows are filled up to the header's width. */
const MAX_CELLS = 4000;
const MAX_DEFINITIONS = 200;
const DELIMITER_ROW = /^[-:| \t]+$/;

function skipLargeTable(state: StateBlock, first: number, end: number, silent: boolean): boolean {
  const lineAt = (line: number) =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  if (first + 1 >= end || !DELIMITER_ROW.test(lineAt(first + 1))) return false;
  const columns = Math.min(...[first, first + 1].map((line) => lineAt(line).split("|").length));
  let next = first + 2;
  while (next < end && !state.isEmpty(next)) next += 1;
  if (columns < 2 || columns * (next - first) <= MAX_CELLS) return false;
  if (silent) return true;
  state.line = next;
  state.push("excess", "", 0).map = [first, next];
  return true;
}

const md = new MarkdownIt({ linkify: true }).use(cjkFriendly).use(formulas);
md.linkify.add("www.", {
  validate(text, pos, self) {
    const address = self.re.get_http_validator();
    address.lastIndex = 0;
    const [found = "//"] = address.exec(`//${text.slice(pos, pos + 2000)}`) ?? [];
    return found.length - 2;
  },
  normalize: (match) => {
    match.url = `http://${match.url}`;
  },
});
// `linkTarget` decides what becomes a link, when it is drawn.
md.validateLink = () => true;
md.normalizeLink = (url) => url;
md.normalizeLinkText = (url) => url;
md.block.ruler.before("table", "excess", skipLargeTable, { alt: ["paragraph", "reference"] });
// Blocks are split first, so that an unchanged one is parsed once.
md.core.ruler.disable(["normalize", "block"]);

const DEFINITION =
  /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]*<?([^\s<>]{1,2000})>?(?:[ \t]+["'(]([^\n]{0,300})["')])?[ \t]*$/gm;

interface Definition {
  href: string;
  title: string;
}

/** Reference-style definitions anywhere in a text: blocks before them use them too. */
function definitionsOf(text: string): Record<string, Definition> {
  const found: Record<string, Definition> = {};
  let remaining = MAX_DEFINITIONS;
  for (const [, label = "", href = "", title = ""] of text.slice(0, MAX_CHARACTERS).matchAll(DEFINITION)) {
    if (remaining-- <= 0) break;
    found[md.utils.normalizeReference(label)] ??= { href, title };
  }
  return found;
}

export interface Part {
  start: number;
  end: number;
  tokens: Token[];
  joined: boolean;
}

interface Parts {
  done: Part[];
  open: Part[];
  isRest: boolean;
}

/** Length in characters after which a list is split before its last item. */
const LIST_PART = 3000;
/** Characters that are split at once; more for a longer block. */
const WINDOW = 8000;

/** Splits and parses the blocks of a text in order within a shared budget. */
export class MarkdownReader {
  readonly #env: { references: Record<string, Definition> };
  #nodes = MAX_NODES;
  #characters = MAX_CHARACTERS;

  constructor(references: Record<string, Definition> = {}) {
    this.#env = { references };
  }

  get nodes(): number {
    return MAX_NODES - this.#nodes;
  }

  /**
   * The next blocks of a text: those that more text can't change, and those that it can.
   * @param joined whether the first one continues a list
   */
  split(text: string, from: number, joined: boolean): Parts {
    for (let size = WINDOW; size / 2 <= this.#characters; size *= 2) {
      const isRest = from + size >= text.length;
      const to = isRest ? text.length : text.lastIndexOf("\n", from + size - 1) + 1;
      const parts = this.#partsOf(text.slice(from, to), from, joined);
      if (isRest || parts.done.length > 0) return { ...parts, isRest };
    }
    const plain = { start: from, end: solidEnd(text), tokens: [], joined: false };
    return { done: [plain], open: [], isRest: true };
  }

  #partsOf(source: string, offset: number, joined: boolean): Omit<Parts, "isRest"> {
    const tokens: Token[] = [];
    md.block.parse(source, md, this.#env, tokens);
    const lines = lineStarts(source);
    const last = lines.length - 2;
    const at = (line: number) => offset + (lines[line] ?? source.length);
    const isBlank = (line: number) => source.slice(lines[line], lines[line + 1]).trim() === "";
    const parts: (Part & { line: number })[] = [];
    for (const token of tokens) {
      if (token.type === "reference_definition") continue;
      if (token.level === 0 && token.nesting >= 0) {
        const [line, next] = token.map ?? [0, 0];
        parts.push({
          line,
          start: at(line),
          end: at(next),
          tokens: [],
          joined: joined && parts.length === 0,
        });
      }
      parts.at(-1)?.tokens.push(token);
    }
    // The last line may be unfinished: what it begins isn't known yet.
    const isDone = (part: Part, next: { line: number } | undefined) =>
      next !== undefined && (next.line < last || (!isList(part) && isBlank(next.line - 1)));
    const count = parts.findIndex((part, index) => !isDone(part, parts[index + 1]));
    const [done, open] = [parts.slice(0, Math.max(count, 0)), parts.slice(Math.max(count, 0))];
    const list = open.length === 1 ? open[0] : undefined;
    if (!list || !isList(list) || list.end - list.start < LIST_PART) return { done, open };
    const item = list.tokens.findLastIndex(
      ({ type, level, map }) => type === "list_item_open" && level === 1 && map && map[0] < last,
    );
    if (item < 2) return { done, open };
    const line = list.tokens[item]?.map?.[0] ?? last;
    const items = {
      ...list,
      end: at(line),
      tokens: [...list.tokens.slice(0, item), ...list.tokens.slice(-1)],
    };
    const rest = {
      ...list,
      start: at(line),
      tokens: [...list.tokens.slice(0, 1), ...list.tokens.slice(item)],
    };
    return { done: [...done, items], open: [{ ...rest, joined: true }] };
  }

  /** @param keep false for a part that will be read again: its cost isn't counted */
  read({ start, end, tokens }: Part, keep = true): Block[] {
    const plain: Block[] = [{ t: "plain", from: start, to: end }];
    if (end - start > this.#characters || tokens.length === 0) {
      if (keep) this.#characters = 0;
      return plain;
    }
    if (tokens.some(isExcessive)) return plain;
    const state = new md.core.State("", md, this.#env);
    state.tokens = tokens;
    md.core.process(state);
    const builder = new TreeBuilder(tokens, this.#nodes - BLOCK_NODES);
    try {
      const blocks = builder.blocks();
      if (keep) {
        this.#characters -= end - start;
        this.#nodes = builder.nodes;
      }
      return blocks;
    } catch {
      // Too many elements or too deep; nothing more is parsed.
      if (keep && builder.nodes < 0) this.#characters = 0;
      return plain;
    }
  }
}

function solidEnd(text: string): number {
  const newline = text.indexOf("\n", text.trimEnd().length);
  return newline < 0 ? text.length : newline + 1;
}

const isExcessive = ({ type, level, content }: Token) =>
  type === "excess" || level > MAX_DEPTH || (type === "inline" && content.length > MAX_INLINE);

const isList = (part: Part | undefined) => part?.tokens[0]?.type.endsWith("list_open") === true;

/** With the text's end, as if another line began there. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

export function appendBlocks(blocks: Block[], more: readonly Block[], joined: boolean): void {
  for (const [at, block] of more.entries()) {
    const before = blocks.at(-1);
    if (block.t === "plain" && before?.t === "plain" && block.unread === before.unread) {
      blocks[blocks.length - 1] = { ...before, to: block.to };
    } else if (at === 0 && joined && block.t === "list" && before?.t === "list") {
      blocks[blocks.length - 1] = { ...before, items: [...before.items, ...block.items] };
    } else blocks.push(block);
  }
}

export function parseMarkdown(text: string): RenderedText {
  const reader = new MarkdownReader(definitionsOf(text));
  const blocks: Block[] = [];
  for (let from = 0, joined = false, isEnd = false; !isEnd; ) {
    const { done, open, isRest } = reader.split(text, from, joined);
    for (const part of isRest ? [...done, ...open] : done)
      appendBlocks(blocks, reader.read(part), part.joined);
    from = open[0]?.start ?? done.at(-1)?.end ?? from;
    joined = open[0]?.joined ?? false;
    isEnd = isRest;
  }
  return { length: text.length, nodes: reader.nodes, blocks };
}

/** Prose doesn't nest deeper. */
const MAX_DEPTH = 40;
const CODE_NODES = 24;

class BudgetExceeded extends Error {}

class TreeBuilder {
  #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  nodes: number;

  constructor(tokens: readonly Token[], nodes: number) {
    this.#tokens = tokens;
    this.nodes = nodes;
  }

  #spend(nodes = 1): void {
    this.nodes -= nodes;
    if (this.nodes < 0 || this.#depth > MAX_DEPTH) throw new BudgetExceeded();
  }

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
