import { lexer, type Token, type Tokens } from "marked";
import type { ReadDocument } from "../document";
import { DocumentBuilder } from "../document-builder";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { readFrontMatter } from "./front-matter";

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Decodes common character references only. */
function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "br") return "\n";
      if (token.type === "html") return /^<br\b/i.test(token.raw) ? "\n" : "";
      if (token.type === "codespan") return String(token.text);
      if (token.type === "checkbox") return "";
      if ("tokens" in token && token.tokens) return inlineText(token.tokens);
      return "text" in token ? decodeReferences(String(token.text)) : "";
    })
    .join("");
}

/** Deeper lists are flattened to this level. */
const MAX_LIST_DEPTH = 8;

function addList(builder: DocumentBuilder, list: Tokens.List, depth = 0, lines: string[] = []): void {
  const indent = "  ".repeat(Math.min(depth, MAX_LIST_DEPTH));
  const endLines = () => builder.add("list", lines.splice(0).join("\n"));
  for (const [at, item] of list.items.entries()) {
    const task = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    let marker = (list.ordered ? `${Number(list.start || 1) + at}. ` : "- ") + task;
    for (const token of item.tokens) {
      if (token.type === "list") addList(builder, token as Tokens.List, depth + 1, lines);
      else if (token.type === "code" || token.type === "table" || token.type === "blockquote") {
        endLines();
        addTokens(builder, [token]);
      } else {
        for (const line of inlineText([token]).split("\n")) {
          if (!line.trim()) continue;
          lines.push(indent + marker + line.trim());
          marker = " ".repeat(marker.length);
        }
      }
    }
  }
  if (depth === 0) endLines();
}

function addTokens(builder: DocumentBuilder, tokens: readonly Token[], quoted = false): void {
  for (const token of tokens) {
    if (builder.isFull) return;
    if (token.type === "heading") builder.heading(token.depth, inlineText([token]));
    else if (token.type === "code") builder.add("code", token.text);
    else if (token.type === "blockquote") addTokens(builder, token.tokens ?? [], true);
    else if (token.type === "html") addHtml(builder, parseDocument(token.text).documentElement);
    else if (token.type === "table") {
      const { header, rows } = token as Tokens.Table;
      const cells = [header, ...rows].map((row) => row.map((cell) => inlineText(cell.tokens)));
      builder.table(cells, { header: true });
    } else if (token.type === "list") addList(builder, token as Tokens.List);
    else if (token.type === "paragraph" || token.type === "text") {
      builder.add(quoted ? "quote" : "paragraph", inlineText([token]));
    }
  }
}

/** Reads Markdown. The title comes from the front matter or the first heading. */
export function readMarkdown(source: string): ReadDocument {
  const { title, author, body } = readFrontMatter(source.replace(/\r\n?/g, "\n"));
  const builder = new DocumentBuilder();
  addTokens(builder, lexer(body));
  return builder.finish(title, { format: "Markdown", ...(author ? { author } : {}) });
}
