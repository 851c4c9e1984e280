import { SaxesParser } from "saxes";
import { AppError } from "./errors";
import { parseJson } from "./parse";

export interface FeedItem {
  /** Its own, or empty. */
  id: string;
  title: string;
  link: string;
  /** As the feed writes it. */
  published: string;
  author: string;
  summary: string;
}

export interface Feed {
  title: string;
  items: FeedItem[];
}

const FIELD_LIMIT = 2000;
/** Levels of elements; feeds have fewer than ten, and XHTML in them some more. */
const MAX_DEPTH = 200;
const MAX_JSON_VALUES = 100_000;

/** Fields of the elements of RSS 2.0, RSS 1.0 and Atom. */
const FIELDS: Readonly<Record<string, keyof FeedItem>> = {
  title: "title",
  link: "link",
  guid: "id",
  id: "id",
  pubdate: "published",
  published: "published",
  updated: "published",
  date: "published",
  author: "author",
  creator: "author",
  description: "summary",
  summary: "summary",
  content: "summary",
  encoded: "summary",
};

/** Their titles and summaries are those of pictures and podcasts. */
const OTHER_NAMES = /^(?:media|itunes):/i;

const emptyItem = (): FeedItem => ({ id: "", title: "", link: "", published: "", author: "", summary: "" });

const INLINE = /^\/?(?:a|abbr|b|code|em|i|mark|s|small|span|strong|sub|sup|u)(?:\s|$)/i;

/** Without tags, in linear time: a pattern would try to end a tag at each `<`. */
function withoutTags(html: string): string {
  let text = "";
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    const close = html.indexOf(">", open);
    if (close < 0) break;
    text += html.slice(at, open) + (INLINE.test(html.slice(open + 1, Math.min(close, open + 20))) ? "" : " ");
    at = close + 1;
  }
  return text + html.slice(at);
}

/** Approximate text of HTML, for a model; never rendered. */
const toPlainText = (text: string) =>
  withoutTags(text)
    .replaceAll(/&(?:nbsp|#160);/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll(/&#0?39;|&apos;/g, "'")
    .replaceAll(/\s+/g, " ")
    .trim();

const localName = (name: string) => name.slice(name.indexOf(":") + 1).toLowerCase();

const notAFeed = (cause?: unknown) =>
  new AppError("unprocessable", "This isn't an RSS, Atom or JSON feed. Enter the feed's own address.", {
    cause,
  });

/**
 * RSS 2.0, RSS 1.0 (RDF), Atom or JSON Feed. Entities that a DTD declares aren't expanded.
 *
 * @param limit most items
 * @throws AppError `unprocessable` for another document
 */
export function parseFeed(text: string, limit: number): Feed {
  return text.trimStart().startsWith("{") ? parseJsonFeed(text, limit) : parseXmlFeed(text, limit);
}

function parseXmlFeed(xml: string, limit: number): Feed {
  const parser = new SaxesParser();
  const items: FeedItem[] = [];
  const feed = emptyItem();
  let item: FeedItem | undefined;
  let field: keyof FeedItem | undefined;
  let text = "";
  let depth = 0;
  let itemDepth = 0;
  let isFeed = false;
  let failure: Error | undefined;
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new AppError("unprocessable", "The feed is nested too deeply.");
    const local = localName(name);
    if (depth === 1) isFeed = ["rss", "feed", "rdf"].includes(local);
    const own = attributes as Record<string, string | undefined>;
    if (local === "item" || local === "entry") {
      item = { ...emptyItem(), id: (own["rdf:about"] ?? "").slice(0, FIELD_LIMIT) };
      itemDepth = depth;
      return;
    }
    // Atom's author has a name, an address and a page.
    if (field === "author" && local === "name") text = "";
    const isDirect = item ? depth === itemDepth + 1 : depth <= 3;
    if (!isDirect || OTHER_NAMES.test(name) || !Object.hasOwn(FIELDS, local)) return;
    field = FIELDS[local];
    text = "";
    const { href, rel = "alternate" } = own;
    if (field === "link" && href && rel === "alternate") (item ?? feed).link ||= href.slice(0, FIELD_LIMIT);
  });
  const take = (piece: string) => {
    if (field && text.length < FIELD_LIMIT * 4) text += piece;
  };
  parser.on("text", take);
  parser.on("cdata", take);
  parser.on("closetag", ({ name }) => {
    const local = localName(name);
    const endsField = FIELDS[local] === field || (field === "author" && local === "name");
    if (field && endsField) {
      const isHtml = field === "summary" || field === "title" || field === "author";
      (item ?? feed)[field] ||= (isHtml ? toPlainText(text) : text.trim()).slice(0, FIELD_LIMIT);
      field = undefined;
    }
    if (item && depth === itemDepth) {
      if (/^https?:\/\//i.test(item.id)) item.link ||= item.id;
      if (items.length < limit) items.push(item);
      item = undefined;
    }
    depth -= 1;
  });
  parser.on("error", (error) => {
    failure ??= error;
  });
  parser.write(xml).close();
  if (!isFeed || (failure && items.length === 0)) throw notAFeed(failure);
  return { title: feed.title, items };
}

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** https://www.jsonfeed.org/version/1.1/ */
function parseJsonFeed(text: string, limit: number): Feed {
  let feed: unknown;
  try {
    feed = parseJson(text, MAX_JSON_VALUES);
  } catch (cause) {
    throw notAFeed(cause);
  }
  if (!isObject(feed) || !Array.isArray(feed.items) || !/jsonfeed\.org/.test(String(feed.version)))
    throw notAFeed();
  const firstOf = (from: Values, ...names: string[]) => {
    const values = names.map((name) => from[name]);
    const found = values.find((value) => (typeof value === "string" && value) || typeof value === "number");
    return toPlainText(String(found ?? "").slice(0, FIELD_LIMIT * 4)).slice(0, FIELD_LIMIT);
  };
  const items = feed.items.filter(isObject).slice(0, limit);
  return {
    title: firstOf(feed, "title"),
    items: items.map((item) => {
      const [author = item.author] = Array.isArray(item.authors) ? item.authors : [];
      return {
        id: firstOf(item, "id"),
        title: firstOf(item, "title"),
        link: firstOf(item, "url", "external_url"),
        published: firstOf(item, "date_published", "date_modified"),
        author: isObject(author) ? firstOf(author, "name") : "",
        summary: firstOf(item, "summary", "content_text", "content_html"),
      };
    }),
  };
}
