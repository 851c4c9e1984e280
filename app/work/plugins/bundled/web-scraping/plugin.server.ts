import { z } from "zod";
import { extractText } from "~/ai/tools/reading/extract-text.service.server";
import { EXTRACTED_BYTES } from "~/ai/tools/reading/extraction.schema";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import { readOutsideText } from "../outside-text.server";
import { WebAddress } from "../web-address";
import type { PageTask } from "./page-task";
import { fetchPage, htmlOf, takeParts } from "./read-page.server";

const TEXT_LIMIT = 20_000;
const Limit = z.number().int().min(1).max(500).default(100).describe("Maximum number of results");

async function extractParts(
  address: string,
  selection: PageTask["take"],
  limit: number,
  context: PluginContext,
) {
  const page = await fetchPage(address, context);
  const parts = await takeParts(
    { html: htmlOf(page), url: page.url, take: selection, limit },
    context.signal,
  );
  return { url: page.url, ...parts };
}

export const webScraping = definePlugin(
  {
    id: "web-scraping",
    title: "Web Scraping",
    author: "Quarterdeck",
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
      input: z.object({ url: WebAddress, offset: z.number().int().min(0).max(2_000_000).default(0) }),
      async run({ url, offset }, context) {
        const { bytes, contentType, url: final } = await fetchPage(url, context);
        const page = await extractText(
          { bytes: bytes.subarray(0, EXTRACTED_BYTES), contentType },
          context.signal,
        );
        const text = clip(page.text.slice(offset), TEXT_LIMIT);
        return { url: final, title: page.title, text, truncated: offset + text.length < page.text.length };
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
        url: WebAddress,
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
      input: z.object({ url: WebAddress, limit: Limit }),
      run: ({ url, limit }, context) => extractParts(url, { kind: "links" }, limit, context),
    }),
    definePluginTool({
      name: "tables",
      title: "Read a page's tables",
      description: "Returns the tables of a page, each as a caption and rows of cells.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ url: WebAddress, limit: z.number().int().min(1).max(20).default(10) }),
      run: ({ url, limit }, context) => extractParts(url, { kind: "tables" }, limit, context),
    }),
    definePluginTool({
      name: "crawl",
      title: "Read pages of a sitemap",
      description: "Reads the first pages that a sitemap.xml lists and returns the text of each, shortened.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        sitemap: WebAddress.describe("Address of the sitemap.xml"),
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
            const { bytes, contentType } = await fetchPage(location, context);
            const input = { bytes: bytes.subarray(0, EXTRACTED_BYTES), contentType };
            const { title, text } = await extractText(input, context.signal);
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
