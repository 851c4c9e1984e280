import { SaxesParser } from "saxes";
import { AppError } from "~/core/errors";

export interface FeedItem {
  title: string;
  link: string;
  published: string;
  summary: string;
}

const FIELD_LIMIT = 2000;
/** Fields of the elements of RSS 2.0, RSS 1.0 and Atom. */
const FIELDS: Readonly<Record<string, keyof FeedItem>> = {
  title: "title",
  link: "link",
  guid: "link",
  pubdate: "published",
  published: "published",
  updated: "published",
  date: "published",
  description: "summary",
  summary: "summary",
  content: "summary",
  encoded: "summary",
};

const emptyItem = (): FeedItem => ({ title: "", link: "", published: "", summary: "" });

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

export function parseFeed(xml: string, limit: number): { title: string; items: FeedItem[] } {
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
    const local = name.replace(/^.*:/, "").toLowerCase();
    if (depth === 1) isFeed = ["rss", "feed", "rdf"].includes(local);
    if (local === "item" || local === "entry") {
      item = emptyItem();
      itemDepth = depth;
      return;
    }
    const isDirect = item ? depth === itemDepth + 1 : depth <= 3;
    if (!isDirect || !Object.hasOwn(FIELDS, local)) return;
    field = FIELDS[local];
    text = "";
    const { href, rel = "alternate" } = attributes as Record<string, string | undefined>;
    if (field === "link" && href && rel === "alternate") (item ?? feed).link ||= href.slice(0, FIELD_LIMIT);
  });
  const take = (piece: string) => {
    if (field && text.length < FIELD_LIMIT * 4) text += piece;
  };
  parser.on("text", take);
  parser.on("cdata", take);
  parser.on("closetag", ({ name }) => {
    const local = name.replace(/^.*:/, "").toLowerCase();
    if (field && FIELDS[local] === field) {
      const target = item ?? feed;
      target[field] ||= (field === "summary" || field === "title" ? toPlainText(text) : text.trim()).slice(
        0,
        FIELD_LIMIT,
      );
      field = undefined;
    }
    if (item && depth === itemDepth) {
      if (items.length < limit) items.push(item);
      item = undefined;
    }
    depth -= 1;
  });
  parser.on("error", (error) => {
    failure ??= error;
  });
  parser.write(xml).close();
  if (!isFeed || (failure && items.length === 0))
    throw new AppError("unprocessable", "This isn't an RSS or Atom feed. Enter the feed's own address.", {
      cause: failure,
    });
  return { title: feed.title, items };
}
