import { AppError } from "~/core/errors";
import { parseDocument } from "~/work/extraction/html/page";
import type { PageParts, PageSelection } from "./page-task";

/** Per text in characters, and in total. */
const TEXT_LIMIT = 1000;
const TOTAL_LIMIT = 40_000;
const MAX_ROWS = 200;
const MAX_CELLS = 40;

const textOf = (element: Element) =>
  (element.textContent ?? "").replaceAll(/\s+/g, " ").trim().slice(0, TEXT_LIMIT);

function addressOf(href: string, base: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return /^https?:$/.test(url.protocol) ? url.href.slice(0, 4000) : undefined;
}

function select(document: Document, selector: string, attribute: string | undefined): unknown[] {
  let elements: Element[];
  try {
    elements = [...document.querySelectorAll(selector)];
  } catch (cause) {
    throw new AppError("invalid", "The CSS selector isn't valid.", { cause });
  }
  return elements.map((element) => (attribute ? (element.getAttribute(attribute) ?? "") : textOf(element)));
}

function links(document: Document, base: string): unknown[] {
  const texts = new Map<string, string>();
  for (const anchor of document.querySelectorAll("a[href]")) {
    const address = addressOf(anchor.getAttribute("href") ?? "", base);
    if (address && !texts.get(address)) texts.set(address, textOf(anchor).slice(0, 300));
  }
  return [...texts].map(([url, text]) => ({ url, text }));
}

function tables(document: Document): unknown[] {
  return [...document.querySelectorAll("table")].map((table) => {
    const caption = table.querySelector("caption");
    const rows = [...table.querySelectorAll("tr")].slice(0, MAX_ROWS);
    return {
      caption: caption ? textOf(caption) : "",
      rows: rows.map((row) => [...row.querySelectorAll("th, td")].slice(0, MAX_CELLS).map(textOf)),
    };
  });
}

function selectParts(document: Document, url: string, selection: PageSelection): unknown[] {
  if (selection.kind === "select") return select(document, selection.selector, selection.attribute);
  return selection.kind === "links" ? links(document, url) : tables(document);
}

/** Parts of a page. @param url base of relative links */
export function partsOf(html: string, url: string, selection: PageSelection, limit: number): PageParts {
  const document = parseDocument(html);
  const all = selectParts(document, url, selection);
  const items: unknown[] = [];
  let length = 0;
  for (const item of all.slice(0, limit)) {
    length += JSON.stringify(item).length;
    if (length > TOTAL_LIMIT) break;
    items.push(item);
  }
  const title = document.querySelector("title");
  return { title: title ? textOf(title) : "", items, truncated: items.length < all.length };
}
