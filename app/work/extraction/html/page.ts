import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder, shortText } from "../document-builder";
import { addHtml } from "./blocks";
import { boundHtml } from "./bounds";
import { isElement, isSilent, walk } from "./walk";

export const HTML_START = /^\s{0,99}<(?:!doctype html|html)[\s>]/i;
/** Readability takes seconds for larger pages; their plain text is used instead. */
const MAX_ELEMENTS = 30_000;
const MAX_DEPTH = 256;
/** Minimum characters of an article; with fewer, Readability missed the content. */
const MIN_ARTICLE_LENGTH = 140;
/** Minimum share of the page's `main` element; with less, Readability found one section only. */
const MIN_MAIN_SHARE = 0.5;

function measure(root: Node): { elements: number; depth: number } {
  const size = { elements: 0, depth: 0 };
  walk(root, (node, depth) => {
    if (isElement(node)) size.elements += 1;
    size.depth = Math.max(size.depth, depth);
    return node.nodeType !== 8;
  });
  return size;
}

/**
 * Parses a page. linkedom, unlike a browser, adds no missing html element.
 * @throws AppError `invalid` as `boundHtml`
 */
export function parseDocument(source: string): Document {
  const html = boundHtml(source);
  return parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`)
    .document;
}

function readTree(root: Node): DocumentBuilder {
  const builder = new DocumentBuilder();
  addHtml(builder, root);
  return builder;
}

interface Article {
  builder: DocumentBuilder;
  title: string;
  author: string;
}

function readArticle(html: string, document: Document): Article | undefined {
  const { elements, depth } = measure(document);
  if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) return undefined;
  // Readability modifies its document, so it gets a copy.
  const article = new Readability(parseDocument(html), { charThreshold: MIN_ARTICLE_LENGTH }).parse();
  if (!article?.content) return undefined;
  const builder = readTree(parseDocument(article.content).documentElement);
  if (builder.length < MIN_ARTICLE_LENGTH) return undefined;
  return { builder, title: shortText(article.title, 500), author: shortText(article.byline) };
}

function readMain(document: Document): DocumentBuilder | undefined {
  const candidates = [...document.querySelectorAll("main, [role=main]")].filter((item) => !isSilent(item));
  return candidates.length === 1 && candidates[0] ? readTree(candidates[0]) : undefined;
}

/** Reads the article of an HTML page, or all visible text if there is none. */
export function readPage(html: string): ReadDocument {
  const document = parseDocument(html);
  const root = document.documentElement;
  const article = readArticle(html, document);
  const main = article && readMain(document);
  const isIncomplete = article && main && article.builder.length < main.length * MIN_MAIN_SHARE;
  const builder = isIncomplete ? main : (article?.builder ?? readTree(root));
  const language = shortText(root.getAttribute("lang"), 35);
  return builder.finish(article?.title || shortText(document.querySelector("title")?.textContent, 500), {
    format: "HTML",
    ...(article?.author ? { author: article.author } : {}),
    ...(language ? { language } : {}),
  });
}
