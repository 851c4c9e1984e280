import { Lexer, Marked, type Token, type Tokens } from "marked";
import { clip } from "~/core/well-formed";
import { isWithinBudget } from "./budget.shared";
import { blockFormula, formulaAt, formulaStart } from "./formula.shared";
import { type Segment, segmentsOf } from "./segments.shared";
import type { Align, Block, Inline, RenderedText } from "./tree.shared";

/** Formatting limits per text, in characters and elements; the rest is plain text. */
const MAX_CHARACTERS = 200_000;
const MAX_NODES = 12_000;
/** Prose doesn't nest deeper. */
const MAX_DEPTH = 24;
/** Reference-style link definitions. */
const MAX_DEFINITIONS = 200;

const { defaults: OPTIONS } = new Marked({
  gfm: true,
  extensions: [
    {
      name: "math",
      level: "inline",
      start: formulaStart,
      tokenizer(source) {
        const raw = formulaAt(source);
        return raw === undefined ? undefined : { type: "math", raw };
      },
    },
  ],
});

type Links = Lexer["tokens"]["links"];

/** Element count of a segment, and of a code block with its buttons. */
const SEGMENT_NODES = 2;
const CODE_NODES = 24;

class BudgetExceeded extends Error {}

/** Remaining elements of a text. */
interface Allowance {
  nodes: number;
}

function spend(allowance: Allowance, depth: number, nodes = 1): void {
  allowance.nodes -= nodes;
  if (allowance.nodes < 0 || depth > MAX_DEPTH) throw new BudgetExceeded();
}

function toInlines(tokens: readonly Token[] | undefined, allowance: Allowance, depth: number): Inline[] {
  const inlines: Inline[] = [];
  for (const token of tokens ?? []) {
    spend(allowance, depth);
    const inline = toInline(token, allowance, depth + 1);
    const before = inlines.at(-1);
    if (typeof inline === "string" && typeof before === "string")
      inlines[inlines.length - 1] = before + inline;
    else if (Array.isArray(inline)) inlines.push(...inline);
    else if (inline !== "") inlines.push(inline);
  }
  return inlines;
}

function toInline(token: Token, allowance: Allowance, depth: number): Inline | Inline[] {
  const inner = () => toInlines("tokens" in token ? token.tokens : undefined, allowance, depth);
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return { t: token.type, c: inner() };
    case "codespan":
      return { t: "code", v: token.text };
    case "br":
      return { t: "br" };
    case "link":
      return { t: "link", href: token.href, label: token.text, c: inner() };
    case "image":
      return { t: "image", href: token.href, label: token.text };
    case "math":
      return { t: "math", v: token.raw };
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "escape":
      return token.text;
    case "text":
      return "tokens" in token && token.tokens ? inner() : token.text;
    default:
      // HTML included: a model's markup is text.
      return token.raw;
  }
}

function toBlocks(tokens: readonly Token[], allowance: Allowance, depth: number): Block[] {
  return tokens.flatMap((token) => {
    spend(allowance, depth);
    return toBlock(token, allowance, depth + 1) ?? [];
  });
}

function toBlock(token: Token, allowance: Allowance, depth: number): Block | undefined {
  const inline = (tokens: Token[] | undefined) => toInlines(tokens, allowance, depth);
  switch (token.type) {
    case "space":
    case "def":
      return undefined;
    case "hr":
      return { t: "hr" };
    case "heading":
      return { t: "heading", depth: token.depth, c: inline(token.tokens) };
    case "paragraph":
      return { t: "p", c: inline(token.tokens) };
    case "code":
      spend(allowance, depth, CODE_NODES);
      return { t: "code", lang: clip(token.lang ?? "", 100), v: token.text };
    case "blockquote":
      return { t: "quote", c: toBlocks(token.tokens ?? [], allowance, depth) };
    case "list": {
      const { items, ordered, start } = token as Tokens.List;
      const first = typeof start === "number" ? start : 1;
      const drawn = items.map((item) => toBlocks(item.tokens, allowance, depth));
      return { t: "list", start: ordered ? first : null, items: drawn };
    }
    case "table": {
      const { header, rows, align } = token as Tokens.Table;
      const cells = (row: Tokens.TableCell[]) =>
        row.map((cell) => {
          spend(allowance, depth);
          return inline(cell.tokens);
        });
      return { t: "table", align: align as Align[], head: cells(header), rows: rows.map(cells) };
    }
    default: {
      const one = toInline(token, allowance, depth);
      return { t: "line", c: Array.isArray(one) ? one : [one] };
    }
  }
}

function readFence(source: string): Block {
  const end = source.indexOf("\n");
  const first = end < 0 ? source : source.slice(0, end);
  const [, indent = "", marks = "", info = ""] = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(first) ?? [];
  const lines =
    end < 0
      ? []
      : source
          .slice(end + 1)
          .replace(/\n$/, "")
          .split("\n");
  const last = lines.at(-1)?.trim() ?? "";
  const closed = last.length >= marks.length && last === marks.charAt(0).repeat(last.length);
  if (closed) lines.pop();
  const code = indent ? lines.map((line) => line.replace(new RegExp(`^ {0,${indent.length}}`), "")) : lines;
  return { t: "code", lang: info.trim().slice(0, 100), v: code.join("\n") };
}

const DEFINITION =
  /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]*<?([^\s<>]{1,2000})>?(?:[ \t]+["'(]([^\n]{0,300})["')])?[ \t]*$/;

/** Reference-style definitions anywhere in a text. */
function addDefinitions(links: Links, text: string, segments: readonly Segment[]): void {
  let remaining = MAX_DEFINITIONS - Object.keys(links).length;
  for (const { kind, start, end } of segments) {
    if (remaining <= 0) return;
    if (kind !== "text" || !/^ {0,3}\[/.test(text.slice(start, start + 4))) continue;
    for (const line of text.slice(start, Math.min(end, start + 20_000)).split("\n")) {
      const [, label, href, title = ""] = line.length < 3000 ? (DEFINITION.exec(line) ?? []) : [];
      if (label === undefined || href === undefined || remaining <= 0) continue;
      links[label.toLowerCase().replace(/\s+/g, " ")] ??= { href, title };
      remaining -= 1;
    }
  }
}

/** Parses segments in order within a shared budget. */
export class MarkdownReader {
  readonly #allowance: Allowance = { nodes: MAX_NODES };
  readonly #links: Links = {};
  #characters = MAX_CHARACTERS;

  /** Elements of all segments that were kept. */
  get nodes(): number {
    return MAX_NODES - this.#allowance.nodes;
  }

  define(text: string, segments: readonly Segment[]): void {
    addDefinitions(this.#links, text, segments);
  }

  /** @param keep false for a segment that will be read again: its cost isn't counted */
  read(text: string, segment: Segment, keep = true): Block[] {
    const { start, end, kind } = segment;
    const plain: Block[] = [{ t: "plain", from: start, to: end }];
    if (end - start > this.#characters) {
      if (keep) this.#characters = 0;
      return plain;
    }
    const source = text.slice(start, end);
    const formula = kind === "math" ? blockFormula(source) : undefined;
    if (kind !== "fence" && formula === undefined && !isWithinBudget(source)) return plain;
    const allowance = { ...this.#allowance };
    try {
      spend(allowance, 0, kind === "fence" ? CODE_NODES : SEGMENT_NODES);
      const blocks = this.#blocks(kind === "fence", formula, source, allowance);
      if (keep) {
        this.#characters -= end - start;
        this.#allowance.nodes = allowance.nodes;
      }
      return blocks;
    } catch {
      // Too many elements or too deep; nothing more is parsed.
      if (keep && allowance.nodes < 0) this.#characters = 0;
      return plain;
    }
  }

  #blocks(fence: boolean, formula: string | undefined, source: string, allowance: Allowance): Block[] {
    if (fence) return [readFence(source)];
    return formula === undefined
      ? this.#lex(source, allowance)
      : [{ t: "p", c: [{ t: "math", v: formula }] }];
  }

  #lex(source: string, allowance: Allowance): Block[] {
    const lexer = new Lexer(OPTIONS);
    Object.assign(lexer.tokens.links, this.#links);
    return toBlocks(lexer.lex(source), allowance, 1);
  }
}

/** Continues lists and joins adjacent plain texts. */
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

/** Linear in the text's length. */
export function parseMarkdown(text: string): RenderedText {
  const { done, open } = segmentsOf(text);
  const segments = open ? [...done, open] : done;
  const reader = new MarkdownReader();
  reader.define(text, segments);
  const blocks: Block[] = [];
  for (const segment of segments) appendBlocks(blocks, reader.read(text, segment), segment.joined);
  return { length: text.length, nodes: reader.nodes, blocks };
}
