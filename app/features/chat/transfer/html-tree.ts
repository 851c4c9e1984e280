import escapeHtml from "escape-html";
import { isDisplay } from "../markdown/formula.shared";
import { linkTarget } from "../markdown/link-target.shared";
import type { Align, Block, Inline, MathElement, RenderedText } from "../markdown/tree.shared";

function writeMath(node: string | MathElement): string {
  if (typeof node === "string") return escapeHtml(node);
  const attributes = Object.entries(node.a ?? {}).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  return `<${node.n}${attributes.join("")}>${node.c.map(writeMath).join("")}</${node.n}>`;
}

/** A link to another site; the console's own paths lead nowhere in a file. */
function writeLink(href: string, content: string): string {
  const target = linkTarget(href);
  if (target?.kind !== "outside") return content;
  return `<a href="${escapeHtml(target.href)}" rel="noopener noreferrer nofollow">${content}</a>`;
}

const writeLinked = (inline: Inline): string =>
  typeof inline === "object" && inline.t === "image"
    ? `Image: ${escapeHtml(inline.label || "no description")}`
    : writeInline(inline);

function writeInline(inline: Inline): string {
  if (typeof inline === "string") return escapeHtml(inline);
  switch (inline.t) {
    case "strong":
    case "em":
    case "del":
      return `<${inline.t}>${writeInlines(inline.c)}</${inline.t}>`;
    case "code":
      return `<code>${escapeHtml(inline.v)}</code>`;
    case "br":
      return "<br>";
    case "link":
      // Links can't be nested: a picture in one is its label.
      return writeLink(inline.href, inline.c.map(writeLinked).join(""));
    case "image":
      return writeLink(inline.href, writeLinked(inline));
    case "math":
      return inline.m
        ? `<math${isDisplay(inline.v) ? ' display="block"' : ""}>${writeMath(inline.m)}</math>`
        : escapeHtml(inline.v);
  }
}

const writeInlines = (of: readonly Inline[]) => of.map(writeInline).join("");

function writeRow(cells: readonly Inline[][], align: readonly Align[], cell: "th" | "td"): string {
  const written = cells.map((one, index) => {
    const side = align[index];
    return `<${cell}${side ? ` style="text-align:${side}"` : ""}>${writeInlines(one)}</${cell}>`;
  });
  return `<tr>${written.join("")}</tr>`;
}

/** Heading levels used by the page around the message. */
const LEVELS_ABOVE = 2;

function writeBlock(block: Block, text: string): string {
  switch (block.t) {
    case "heading": {
      const level = Math.min(6, block.depth + LEVELS_ABOVE);
      return `<h${level}>${writeInlines(block.c)}</h${level}>`;
    }
    case "p":
      return `<p dir="auto">${writeInlines(block.c)}</p>`;
    case "line":
      return writeInlines(block.c);
    case "code":
      return `<pre><code>${escapeHtml(block.v)}</code></pre>`;
    case "quote":
      return `<blockquote>${writeBlocks(block.c, text)}</blockquote>`;
    case "list": {
      const items = block.items.map((item) => `<li>${writeBlocks(item, text)}</li>`).join("");
      return block.start === null ? `<ul>${items}</ul>` : `<ol start="${block.start}">${items}</ol>`;
    }
    case "table": {
      const rows = block.rows.map((row) => writeRow(row, block.align, "td")).join("");
      const head = writeRow(block.head, block.align, "th");
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>`;
    }
    case "hr":
      return "<hr>";
    case "plain":
      return `<div class="text">${escapeHtml(text.slice(block.from, block.to).trim())}</div>`;
  }
}

const writeBlocks = (of: readonly Block[], text: string) =>
  of.map((block) => writeBlock(block, text)).join("\n");

/** A parsed text as HTML; links to other sites are its only addresses. */
export const writeTree = ({ blocks }: RenderedText, text: string): string => writeBlocks(blocks, text);
