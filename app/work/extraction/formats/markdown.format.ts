import { lexer, type Token, type Tokens } from "marked";
import { AppError } from "~/core/errors";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder } from "../document-builder";
import { type DocumentFormat, withNote } from "../format";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { listFields, readFields, splitFrontMatter } from "./front-matter";
import { plainText } from "./text.format";

/** Emphasis marks in one paragraph: the lexer is quadratic in them. */
const MAX_MARKS = 1_500;
/** 50 nested quotes or lists. */
const NESTED = /^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)){50}/;
const INDENTED = /^\s{100}\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;
/** Starts of a new paragraph: a blank line, list item, heading or table row. */
const BEGINS = /^\s*(?:$|[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\|[^|]*\|)/;
const MARK = /[*_~]/g;

/**
 * Whether a paragraph has too many emphasis marks for the lexer.
 * @throws AppError `invalid` for too deeply nested quotes or lists
 */
function isTooComplex(text: string): boolean {
  let marks = 0;
  for (const line of text.split("\n")) {
    if (NESTED.test(line) || INDENTED.test(line))
      throw new AppError("invalid", "This Markdown file is nested too deeply. Simplify it and try again.");
    if (BEGINS.test(line)) marks = 0;
    marks += line.match(MARK)?.length ?? 0;
    if (marks > MAX_MARKS) return true;
  }
  return false;
}

export const markdown: DocumentFormat = {
  label: "Markdown",
  endings: [".md", ".markdown"],
  types: ["text/markdown", "text/x-markdown"],
  isText: true,
  async read(file) {
    if (!isTooComplex(file.text)) return readMarkdown(file.text);
    const note = "A paragraph has too many emphasis marks for Markdown, so the file was read as plain text.";
    return withNote(await plainText.read(file), note);
  },
};

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
function readMarkdown(source: string): ReadDocument {
  const { lines, body } = splitFrontMatter(source.replace(/\r\n?/g, "\n"));
  const builder = new DocumentBuilder();
  builder.add("list", listFields(lines));
  addTokens(builder, lexer(body));
  const { title, ...facts } = readFields(lines);
  return builder.finish(title, { format: "Markdown", ...facts });
}
