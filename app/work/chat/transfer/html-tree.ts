import escapeHtml from "escape-html";
import { isDisplay } from "../markdown/formula.shared";
import { linkTarget } from "../markdown/link-target.shared";
import {
  type Align,
  type Block,
  directionOf,
  type Inline,
  type MathElement,
  type RenderedText,
} from "../markdown/tree.shared";
import { BARE_CITATION } from "../sources.shared";

/** Finds the source of a link's address or a number in brackets. */
export type FindSource = (reference: string | number) => { number: number; anchor: string } | undefined;

interface Links {
  find: FindSource;
  /** The console's origin, to which no link leads. */
  own?: string | undefined;
}

const NO_SOURCES: FindSource = () => undefined;

function writeMath(node: string | MathElement): string {
  if (typeof node === "string") return escapeHtml(node);
  const attributes = Object.entries(node.a ?? {}).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  return `<${node.n}${attributes.join("")}>${node.c.map(writeMath).join("")}</${node.n}>`;
}

const writeCitation = ({ number, anchor }: { number: number; anchor: string }) =>
  `<a href="#${anchor}">[${number}]</a>`;

/** A link to another site or to a source below; the console's other paths lead nowhere in a file. */
function writeLink(href: string, content: string, { find, own }: Links): string {
  const source = find(href);
  if (source && /^\W*\d+\W*$/.test(content)) return writeCitation(source);
  const target = linkTarget(href);
  if (target?.kind !== "outside" || new URL(target.href).origin === own) return content;
  return `<a href="${escapeHtml(target.href)}" rel="noopener noreferrer nofollow">${content}</a>`;
}

const writeLinked = (inline: Inline, { own }: Links): string =>
  typeof inline === "object" && inline.t === "image"
    ? `Image: ${escapeHtml(inline.label || "no description")}`
    : writeInline(inline, { find: NO_SOURCES, own });

function writeText(text: string, { find }: Links): string {
  return escapeHtml(text).replaceAll(BARE_CITATION, (bare, number) => {
    const source = find(Number(number));
    return source ? writeCitation(source) : bare;
  });
}

function writeInline(inline: Inline, links: Links): string {
  if (typeof inline === "string") return writeText(inline, links);
  switch (inline.t) {
    case "strong":
    case "em":
    case "del":
      return `<${inline.t}>${writeInlines(inline.c, links)}</${inline.t}>`;
    case "code":
      return `<code dir="ltr">${escapeHtml(inline.v)}</code>`;
    case "br":
      return "<br>";
    case "link":
      // Links can't be nested: a picture in one is its label.
      return writeLink(inline.href, inline.c.map((one) => writeLinked(one, links)).join(""), links);
    case "image":
      return writeLink(inline.href, writeLinked(inline, links), links);
    case "math":
      return inline.m
        ? `<math${isDisplay(inline.v) ? ' display="block"' : ""}>${writeMath(inline.m)}</math>`
        : escapeHtml(inline.v);
  }
}

const writeInlines = (of: readonly Inline[], links: Links) =>
  of.map((inline) => writeInline(inline, links)).join("");

function writeRow(
  cells: readonly Inline[][],
  align: readonly Align[],
  cell: "th" | "td",
  links: Links,
): string {
  const written = cells.map((one, index) => {
    const side = align[index];
    return `<${cell} dir="auto"${side ? ` style="text-align:${side}"` : ""}>${writeInlines(one, links)}</${cell}>`;
  });
  return `<tr>${written.join("")}</tr>`;
}

/** Heading levels used by the page around the message. */
const LEVELS_ABOVE = 2;

const withDirection = (block: Block) => (directionOf(block) ? ' dir="rtl"' : "");

function writeBlock(block: Block, text: string, links: Links): string {
  switch (block.t) {
    case "heading": {
      const level = Math.min(6, block.depth + LEVELS_ABOVE);
      return `<h${level} dir="auto">${writeInlines(block.c, links)}</h${level}>`;
    }
    case "p":
      return `<p dir="auto">${writeInlines(block.c, links)}</p>`;
    case "line":
      return writeInlines(block.c, links);
    case "code":
      return `<pre dir="ltr"><code>${escapeHtml(block.v)}</code></pre>`;
    case "quote":
      return `<blockquote${withDirection(block)}>${writeBlocks(block.c, text, links)}</blockquote>`;
    case "list": {
      const items = block.items.map((item) => `<li>${writeBlocks(item, text, links)}</li>`).join("");
      const dir = withDirection(block);
      return block.start === null
        ? `<ul${dir}>${items}</ul>`
        : `<ol${dir} start="${block.start}">${items}</ol>`;
    }
    case "table": {
      const rows = block.rows.map((row) => writeRow(row, block.align, "td", links)).join("");
      const head = writeRow(block.head, block.align, "th", links);
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table${withDirection(block)}><thead>${head}</thead><tbody>${rows}</tbody></table></div>`;
    }
    case "hr":
      return "<hr>";
    case "plain":
      return `<div class="text">${escapeHtml(text.slice(block.from, block.to).trim())}</div>`;
  }
}

const writeBlocks = (of: readonly Block[], text: string, links: Links) =>
  of.map((block) => writeBlock(block, text, links)).join("\n");

/** A parsed text as HTML; its only addresses are links to other sites and to its sources. */
export const writeTree = (
  { blocks }: Pick<RenderedText, "blocks">,
  text: string,
  { find = NO_SOURCES, own }: Partial<Links> = {},
): string => writeBlocks(blocks, text, { find, own });
