import { z } from "zod";
import { ToolAddress } from "~/ai/tools/tools.schema";
import { searchMatcher } from "~/core/language/find-terms";
import { definePlugin, definePluginTool } from "../../plugin";
import { readOutsideText, readText } from "../outside-text.server";

/** In characters; the newest entries come first. */
const MAX_LENGTH = 2_000_000;

export const feedReader = definePlugin(
  {
    id: "feed-reader",
    title: "Feed Reader",
    icon: "Rss",
    description:
      "Reads RSS, Atom and JSON feeds: news, release notes, incident pages and blogs, with titles, links, dates and summaries. Made for a morning digest by a workflow.",
    tags: ["rss", "atom", "news"],
    version: "1.0.0",
    released: "2026-11-20",
    categories: ["web"],
    requests: { hosts: ["*"], effects: ["outside"] },
  },
  [
    definePluginTool({
      name: "read",
      title: "Read a feed",
      description:
        "Returns the latest entries of an RSS, Atom or JSON feed with title, link, date and a short summary.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        url: ToolAddress.describe("Address of the feed itself"),
        limit: z.number().int().min(1).max(50).default(20),
        contains: z
          .string()
          .max(200)
          .default("")
          .describe("Only entries whose title or summary contains this text"),
      }),
      async run({ url, limit, contains }, { fetch, signal }) {
        const headers = {
          accept:
            "application/atom+xml,application/rss+xml,application/feed+json,application/xml;q=0.9,*/*;q=0.5",
        };
        const text = await readText(await fetch(url, { headers, signal }));
        const task = { kind: "feed" as const, text: text.slice(0, MAX_LENGTH), limit: 500 };
        const { title, items } = await readOutsideText(task, signal);
        const isFound = searchMatcher(contains);
        const matches = items.filter((item) => isFound(`${item.title} ${item.summary}`));
        return {
          title,
          items: matches.slice(0, limit).map(({ title, link, published, summary }) => ({
            title,
            link,
            published,
            summary: summary.slice(0, 500),
          })),
          total: matches.length,
        };
      },
    }),
  ],
);
