import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import type { ExtractOutput } from "~/core/extraction";

/** Beyond these, Readability's repeated walks take seconds; the plain text is taken instead. */
const MOST_ELEMENTS = 30_000;
const DEEPEST = 256;
/** No honest tag is longer, in characters; the time for one with many attributes grows with their square. */
const LONGEST_TAG = 20_000;
/** Less than this, in characters, and Readability has missed the page. */
const ENOUGH = 140;

const SILENT = new Set([
  "TITLE",
  "SCRIPT",
  "STYLE",
  "NOSCRIPT",
  "TEMPLATE",
  "IFRAME",
  "OBJECT",
  "SVG",
  "HEAD",
  "SELECT",
]);
const BLOCKS = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 " +
    "H4 H5 H6 HEADER HR MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TFOOT THEAD TR UL"
  ).split(" "),
);
const PARAGRAPHS = new Set(
  "ARTICLE BLOCKQUOTE DL FIGURE H1 H2 H3 H4 H5 H6 OL P PRE SECTION TABLE UL".split(" "),
);

/** Drops tags of absurd length, in one pass over the text. */
function dropLongTags(html: string): string {
  const kept: string[] = [];
  let from = 0;
  let close = -1;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) {
    if (close < at) close = html.indexOf(">", at);
    if (close < 0) break;
    if (close - at <= LONGEST_TAG) continue;
    kept.push(html.slice(from, at));
    from = close + 1;
    at = close;
  }
  return kept.length === 0 ? html : kept.join("") + html.slice(from);
}

interface Step {
  node: Node;
  depth: number;
  /** Text to write once the node's children are done. */
  after?: string;
}

/** Walks without recursion: how deep a page nests is the page's choice. */
function walk(
  root: Node,
  enter: (node: Node, depth: number) => string | false,
  leave: (text: string) => void,
): void {
  const steps: Step[] = [{ node: root, depth: 0 }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    if (step.after !== undefined) {
      leave(step.after);
      continue;
    }
    const after = enter(step.node, step.depth);
    if (after === false) continue;
    steps.push({ ...step, after });
    for (let child = step.node.lastChild; child; child = child.previousSibling) {
      steps.push({ node: child, depth: step.depth + 1 });
    }
  }
}

function breakAround(name: string): string {
  if (PARAGRAPHS.has(name)) return "\n\n";
  return BLOCKS.has(name) ? "\n" : "";
}

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The text of a tree as a person reads it: blocks on lines of their own, list items with a dash. */
function textOf(root: Node): string {
  const parts: string[] = [];
  walk(
    root,
    (node) => {
      if (node.nodeType === 3) {
        parts.push((node.nodeValue ?? "").replace(/\s+/g, " "));
        return false;
      }
      const name = node.nodeName.toUpperCase();
      if (SILENT.has(name) || node.nodeType === 8) return false;
      if (name === "LI") {
        parts.push("\n- ");
        return "";
      }
      const around = breakAround(name);
      parts.push(around);
      return name === "TD" || name === "TH" ? " | " : around;
    },
    (text) => parts.push(text),
  );
  return tidy(parts.join(""));
}

function measure(root: Node): { elements: number; depth: number } {
  const size = { elements: 0, depth: 0 };
  walk(
    root,
    (node, depth) => {
      if (node.nodeType === 1) size.elements += 1;
      size.depth = Math.max(size.depth, depth);
      return node.nodeType === 8 ? false : "";
    },
    () => undefined,
  );
  return size;
}

/** A short text of the page, such as its title, on one line and bounded. */
function line(text: string | null | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim().slice(0, 500);
}

/** linkedom adds no html element where the page has none, unlike a browser. */
function parseDocument(html: string): Document {
  return parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`)
    .document;
}

function readArticle(html: string, document: Document): ExtractOutput | undefined {
  const { elements, depth } = measure(document);
  if (elements > MOST_ELEMENTS || depth > DEEPEST) return undefined;
  // Readability tears its document apart: it gets one of its own.
  const article = new Readability(parseDocument(html), { charThreshold: ENOUGH }).parse();
  if (!article?.content) return undefined;
  const text = textOf(parseDocument(article.content).documentElement);
  if (text.length < ENOUGH) return undefined;
  const byline = line(article.byline);
  return { title: line(article.title), text, ...(byline ? { byline } : {}) };
}

/** The readable text of an HTML page: the article where there is one, else all visible text. */
export function readPage(source: string): ExtractOutput {
  const html = dropLongTags(source);
  const document = parseDocument(html);
  const root = document.documentElement;
  const language = line(root.getAttribute("lang")).slice(0, 35);
  const article = readArticle(html, document);
  const title = article?.title || line(document.querySelector("title")?.textContent);
  const text = article?.text ?? textOf(root);
  return {
    title,
    text,
    ...(article?.byline ? { byline: article.byline } : {}),
    ...(language ? { language } : {}),
  };
}
