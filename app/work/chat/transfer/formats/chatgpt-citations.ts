import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { linkTarget } from "../../markdown/link-target.shared";
import { markdownLink } from "../markdown-text";

const Page = z.object({ title: z.string().nullish().catch(null), url: z.string() });

const Reference = z.object({
  matched_text: z.string().max(2_000),
  alt: z.string().max(2_000).nullish().catch(null),
  url: z.unknown().optional(),
  title: z.unknown().optional(),
  items: z.array(z.unknown()).catch([]).default([]),
});

const Citation = z.object({
  start_ix: z.number().int().min(0),
  end_ix: z.number().int(),
  metadata: Page,
});

/** Marks of citations and widgets: of today between characters for private use, of 2024 and before in brackets. */
const MARK = / ?\ue200[^\ue200\ue201]*\ue201|【[^【】]{1,300}】/g;
const MAX_OLD_MARK = 302;
const OLD_MARK = /^【\d+(?::\d+)?†[^】]*】$/;
/** Such as `entity ["city","Paris"]`, whose name is part of the sentence. */
const ENTITY = /^\ue200entity\ue202(\[.*\])\ue201$/s;

const MAX_PAGES = 5;
const MAX_CITATIONS = 1_000;
/** What the links of a message may add, in characters. */
const MAX_ADDED = 100_000;
/** Where the positions of citations are looked up, in characters. */
const MAX_LOCATED = 200_000;

function linkOf(page: unknown): string | undefined {
  const { data } = Page.safeParse(page);
  const target = data && linkTarget(data.url);
  return target?.kind === "outside"
    ? markdownLink(data?.title || target.destination, target.href)
    : undefined;
}

/** Links by mark: `alt`, which ChatGPT shows, or the pages. */
function linksOf(text: string, references: readonly unknown[], citations: readonly unknown[]) {
  const links = new Map<string, string>();
  for (const reference of references.slice(0, MAX_CITATIONS)) {
    const { data } = Reference.safeParse(reference);
    if (!data) continue;
    const pages = [data, ...data.items.slice(0, MAX_PAGES)].flatMap((page) => linkOf(page) ?? []);
    links.set(data.matched_text, data.alt || (pages.length > 0 ? `(${pages.join(", ")})` : ""));
  }
  const characters = citations.length > 0 ? Array.from(text.slice(0, MAX_LOCATED)) : [];
  for (const citation of citations.slice(0, MAX_CITATIONS)) {
    const { data } = Citation.safeParse(citation);
    const link = data && linkOf(data.metadata);
    if (!link || data.end_ix - data.start_ix > MAX_OLD_MARK) continue;
    links.set(characters.slice(data.start_ix, data.end_ix).join(""), `(${link})`);
  }
  return links;
}

function entityName(mark: string): string {
  try {
    const parts = parseWellFormed(ENTITY.exec(mark)?.[1] ?? "");
    return Array.isArray(parts) && typeof parts[1] === "string" ? parts[1] : "";
  } catch {
    return "";
  }
}

/** Puts links in place of an answer's marks of citations, and removes those that have none. */
export function linkCitations(
  text: string,
  references: readonly unknown[],
  citations: readonly unknown[],
): string {
  if (!/[\ue200【]/.test(text)) return text;
  const links = linksOf(text, references, citations);
  let room = MAX_ADDED;
  return text.replace(MARK, (found) => {
    const mark = found.trimStart();
    const isMark = mark.startsWith("\ue200") || links.has(mark) || OLD_MARK.test(mark);
    if (!isMark) return found;
    const link = links.get(mark) ?? entityName(mark);
    room -= link.length;
    return link === "" || room < 0 ? "" : found.slice(0, -mark.length) + link;
  });
}
