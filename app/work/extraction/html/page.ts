import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder, shortText } from "../document-builder";
import { addHtml } from "./blocks";
import { boundHtml } from "./bounds";
import { removeSurroundings, revealContent, textsOf } from "./parts";
import { flatText, isElement, isSilent, nameOf, walk } from "./walk";

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

/** A word and its reading behind it, as 東京(とうきょう) for signs that have one each. */
function writeReading(ruby: Element): void {
  const parts = [...ruby.childNodes].map((node) => ({
    name: nameOf(node),
    text: isElement(node) ? flatText(node) : (node.nodeValue ?? ""),
  }));
  const join = (isReading: boolean) =>
    parts
      .filter(({ name }) => name !== "RP" && (name === "RT" || name === "RTC") === isReading)
      .map(({ text }) => text.trim())
      .join("");
  const reading = join(true);
  ruby.textContent = join(false) + (reading ? `(${reading})` : "");
}

function writeReadings(root: Node): void {
  walk(root, (node) => {
    if (!isElement(node) || nameOf(node) !== "RUBY") return true;
    writeReading(node);
    return false;
  });
}

/**
 * Parses a page. linkedom, unlike a browser, adds no missing html element.
 * @throws AppError `invalid` as `boundHtml`
 */
export function parseDocument(source: string): Document {
  const html = boundHtml(source);
  const page = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const { document } = parseHTML(page);
  writeReadings(document);
  return document;
}

function readTree(root: Node): DocumentBuilder {
  const builder = new DocumentBuilder();
  addHtml(builder, root);
  return builder;
}

interface Article {
  root: Node;
  length: number;
  title: string;
  author: string;
}

function readArticle(document: Document): Article | undefined {
  const { elements, depth } = measure(document);
  if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) return undefined;
  // Readability modifies its document, so it gets a copy.
  const copy = document.cloneNode(true) as Document;
  const options = { charThreshold: MIN_ARTICLE_LENGTH, serializer: (content: Node) => content };
  const article = new Readability(copy, options).parse();
  if (!article?.content) return undefined;
  const { length } = readTree(article.content);
  if (length < MIN_ARTICLE_LENGTH) return undefined;
  const [title, author] = [shortText(article.title, 500), shortText(article.byline)];
  return { root: article.content, length, title, author };
}

function findMain(document: Document): Element | undefined {
  const candidates = [...document.querySelectorAll("main, [role=main]")].filter((item) => !isSilent(item));
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Reads the content of an HTML page, or all its text if no article is found in it. */
export function readPage(html: string): ReadDocument {
  const document = parseDocument(html);
  const root = document.documentElement;
  const hidden = revealContent(root);
  const article = readArticle(document);
  const main = article && findMain(document);
  const isIncomplete = article && main && article.length < readTree(main).length * MIN_MAIN_SHARE;
  const surroundings = article && !isIncomplete ? removeSurroundings(root, textsOf(article.root)) : 0;
  const builder = readTree(isIncomplete ? main : root);
  builder.leaveOut(
    "part around the content, such as a menu",
    "parts around the content, such as menus",
    surroundings,
  );
  builder.leaveOut("hidden part", "hidden parts", hidden);
  const language = shortText(root.getAttribute("lang"), 35);
  return builder.finish(article?.title || shortText(document.querySelector("title")?.textContent, 500), {
    format: "HTML",
    ...(article?.author ? { author: article.author } : {}),
    ...(language ? { language } : {}),
  });
}
