import { z } from "zod";
import { choice, numeric, requiredText } from "../steps/step-config";
import { defineTrigger } from "./trigger-type";

/** In minutes. */
const MAX_INTERVAL = 10_080;
const MIN_INTERVAL = 5;

const FIRST = ["nothing", "newest"] as const;

export const feed = defineTrigger({
  type: "feed",
  label: "Feed Trigger",
  description: "Start the workflow for each new entry of an RSS, Atom or JSON feed.",
  icon: "Rss",
  defaults: { url: "", everyMinutes: 60, first: "nothing" },
  config: z.object({
    url: requiredText("Enter the feed's address", 2000)
      .transform((url) => url.trim())
      .refine((url) => /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url), {
        error: "Enter a complete address, such as https://example.com/feed.xml",
      })
      .refine((url) => !URL.canParse(url) || (!new URL(url).username && !new URL(url).password), {
        error: "Remove the user name and password from the address",
      }),
    everyMinutes: numeric(MIN_INTERVAL, MAX_INTERVAL).default(60),
    first: choice(FIRST, "nothing"),
  }),
  fields: [
    { name: "url", label: "Address", control: { kind: "text" } },
    {
      name: "everyMinutes",
      label: "Check every",
      hint: "Enter minutes, at least 5.",
      control: { kind: "number", min: MIN_INTERVAL, max: MAX_INTERVAL, step: 1 },
    },
    {
      name: "first",
      label: "At the first check",
      hint: "Entries that the feed already has start nothing, or the newest one starts a run to see how it works.",
      control: {
        kind: "select",
        options: [
          { value: "nothing", label: "Start nothing" },
          { value: "newest", label: "Start with the newest entry" },
        ],
      },
    },
  ],
  outputs: {
    item: "The entry: id, title, link, published (an ISO date if it can be read), author, summary as text",
    feed: "The feed: title, url",
  },
});
