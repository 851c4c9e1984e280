import { z } from "zod";
import { extractText } from "~/ai/tools/reading/extract-text.service.server";
import { EXTRACTED_BYTES } from "~/ai/tools/reading/extraction.schema";
import { ToolAddress } from "~/ai/tools/tools.schema";
import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import { readOutsideText } from "../outside-text.server";
import type { PageSelection } from "./page-task";

const TEXT_LIMIT = 20_000;
const Limit = z.number().int().min(1).max(500).default(100).describe("Maximum number of results");

async function extractParts(
  address: string,
  selection: PageSelection,
  limit: number,
  context: PluginContext,
) {
  const page = await fetchPage(address, context);
  const task = { kind: "page" as const, text: htmlOf(page), url: page.url, selection, limit };
  const parts = await readOutsideText(task, context.signal);
  return { url: page.url, ...parts };
}

/** The product token that a site's robots.txt can name. */
const AGENT = "AIConsoleBot";
const HEADERS = { "user-agent": `Mozilla/5.0 (compatible; ${AGENT}/1.0)` };

/** @throws AppError `forbidden` by robots.txt */
async function assertAllowed(url: URL, { fetch, signal, settings }: PluginContext): Promise<void> {
  if (settings.obeyRobots === false) return;
  const response = await fetch(new URL("/robots.txt", url), { headers: HEADERS, signal });
  const robots = response.ok ? await response.text() : "";
  if (!response.ok) await response.body?.cancel();
  // RFC 9309, 2.3.1.4: a server error disallows everything.
  if (response.status >= 500)
    throw new AppError("provider_unavailable", `${url.host} can't serve its robots.txt now.`);
  const path = url.pathname + url.search;
  const isAllowed =
    robots === "" || (await readOutsideText({ kind: "robots", text: robots, agent: AGENT, path }, signal));
  if (isAllowed) return;
  throw new AppError("forbidden", `The robots.txt of ${url.host} doesn't allow reading this page.`);
}

interface Page {
  url: string;
  bytes: Uint8Array;
  contentType: string;
}

/** @throws AppError for an error status */
async function fetchPage(address: string, context: PluginContext): Promise<Page> {
  await assertAllowed(new URL(address), context);
  const response = await context.fetch(address, { headers: HEADERS, signal: context.signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new AppError(
      "provider_unavailable",
      `${new URL(response.url).host} returned HTTP ${response.status}.`,
    );
  }
  const { url } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  // The redirect's site may disallow it.
  if (new URL(url).href !== new URL(address).href) await assertAllowed(new URL(url), context);
  return { url, bytes, contentType: response.headers.get("content-type") ?? "" };
}

async function readArticle(address: string, context: PluginContext) {
  const { url, bytes, contentType } = await fetchPage(address, context);
  const input = { bytes: bytes.subarray(0, EXTRACTED_BYTES), contentType };
  return { ...(await extractText(input, context.signal)), url };
}

function htmlOf({ bytes, contentType }: Page): string {
  return decodeText(bytes.subarray(0, EXTRACTED_BYTES), contentType);
}

export const webScraping = definePlugin(
  {
    id: "web-scraping",
    title: "Web Scraping",
    icon: "Globe",
    description:
      "Reads public pages in the form you need: the article's text, everything a CSS selector matches, all links, tables as rows, or several pages of a sitemap. Obeys robots.txt unless an admin turns that off.",
    tags: ["scraping", "css", "tables", "sitemap", "sample"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["web"],
    settings: [
      {
        name: "obeyRobots",
        label: "robots.txt compliance",
        hint: "Turn off only for sites whose owners allow it",
        control: { kind: "switch", default: true },
      },
      {
        name: "crawlPages",
        label: "Pages per crawl",
        hint: "Set the maximum number of pages that one crawl reads",
        control: { kind: "number", min: 1, max: 20, step: 1, default: 5 },
      },
    ],
    requests: { hosts: ["*"], effects: ["outside"] },
  },
  [
    definePluginTool({
      name: "text",
      title: "Read a page's text",
      description: `Returns the readable text of a page (the article without menus), its title and address. At most ${TEXT_LIMIT} characters from the offset.`,
      effect: "outside",
      onlyFetches: true,
      input: z.object({ url: ToolAddress, offset: z.number().int().min(0).max(2_000_000).default(0) }),
      async run({ url, offset }, context) {
        const page = await readArticle(url, context);
        const text = clip(page.text.slice(offset), TEXT_LIMIT);
        const truncated = offset + text.length < page.text.length;
        return { url: page.url, title: page.title, text, truncated };
      },
    }),
    definePluginTool({
      name: "select",
      title: "Select parts of a page",
      description:
        "Returns the text, or one attribute, of every element of a page that matches a CSS selector.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        url: ToolAddress,
        selector: z.string().trim().min(1).max(300).describe("CSS selector, such as article h2"),
        attribute: z.string().trim().max(60).optional().describe("Attribute to return instead of the text"),
        limit: Limit,
      }),
      run: ({ url, selector, attribute, limit }, context) =>
        extractParts(url, { kind: "select", selector, ...(attribute && { attribute }) }, limit, context),
    }),
    definePluginTool({
      name: "links",
      title: "List a page's links",
      description: "Returns the links of a page with their texts and complete addresses, without duplicates.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ url: ToolAddress, limit: Limit }),
      run: ({ url, limit }, context) => extractParts(url, { kind: "links" }, limit, context),
    }),
    definePluginTool({
      name: "tables",
      title: "Read a page's tables",
      description: "Returns the tables of a page, each as a caption and rows of cells.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ url: ToolAddress, limit: z.number().int().min(1).max(20).default(10) }),
      run: ({ url, limit }, context) => extractParts(url, { kind: "tables" }, limit, context),
    }),
    definePluginTool({
      name: "crawl",
      title: "Read pages of a sitemap",
      description: "Reads the first pages that a sitemap.xml lists and returns the text of each, shortened.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        sitemap: ToolAddress.describe("Address of the sitemap.xml"),
        contains: z.string().max(200).default("").describe("Only addresses that contain this text"),
      }),
      timeoutMs: 110_000,
      async run({ sitemap, contains }, context) {
        const file = await fetchPage(sitemap, context);
        const task = { kind: "sitemap" as const, text: htmlOf(file), limit: 1000 };
        const listed = await readOutsideText(task, context.signal);
        const locations = listed.filter((location) => location.includes(contains));
        const { host } = new URL(file.url);
        const own = locations.filter((location) => URL.canParse(location) && new URL(location).host === host);
        if (own.length === 0)
          throw new AppError("unprocessable", `The sitemap lists no such pages of ${host}.`);
        const pages: unknown[] = [];
        for (const location of own.slice(0, Number(context.settings.crawlPages))) {
          context.signal.throwIfAborted();
          try {
            const { title, text } = await readArticle(location, context);
            pages.push({ url: location, title, text: clip(text, 3000) });
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            pages.push({ url: location, error: error.message });
          }
        }
        return { listed: own.length, pages };
      },
    }),
  ],
);
