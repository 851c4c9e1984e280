import { z } from "zod";
import { parseJson } from "~/core/parse";
import { parseFeed } from "~/core/parse-feed";
import { xmlToJson } from "./data-transformer/xml-to-json";
import { readOperations } from "./openapi-caller/operations";
import { partsOf } from "./web-scraping/page-parts.thread";
import { type PageParts, PageSelection } from "./web-scraping/page-task";
import { isAllowed } from "./web-scraping/robots";
import { locationsOf } from "./web-scraping/sitemap";

/** A hundred issues of GitHub have about 10,000. */
const MAX_JSON_VALUES = 100_000;

/** Texts of strangers that a plugin parses. */
export const OutsideTextTask = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("feed"), text: z.string(), limit: z.number().int() }),
  z.object({ kind: z.literal("sitemap"), text: z.string(), limit: z.number().int() }),
  z.object({
    kind: z.literal("page"),
    text: z.string(),
    url: z.string(),
    selection: PageSelection,
    limit: z.number().int(),
  }),
  z.object({ kind: z.literal("robots"), text: z.string(), agent: z.string(), path: z.string() }),
  z.object({ kind: z.literal("xml"), text: z.string() }),
  z.object({ kind: z.literal("operations"), text: z.string() }),
  z.object({ kind: z.literal("json"), text: z.string() }),
]);
export type OutsideTextTask = z.infer<typeof OutsideTextTask>;

interface Parsers {
  feed: ReturnType<typeof parseFeed>;
  sitemap: ReturnType<typeof locationsOf>;
  page: PageParts;
  robots: ReturnType<typeof isAllowed>;
  xml: ReturnType<typeof xmlToJson>;
  operations: ReturnType<typeof readOperations>;
  json: unknown;
}
export type Parsed<Kind extends OutsideTextTask["kind"]> = Parsers[Kind];

/** @throws AppError `unprocessable`; `invalid` for JSON */
export function parseOutsideText(task: OutsideTextTask): Parsed<OutsideTextTask["kind"]> {
  switch (task.kind) {
    case "feed":
      return parseFeed(task.text, task.limit);
    case "sitemap":
      return locationsOf(task.text, task.limit);
    case "page":
      return partsOf(task.text, task.url, task.selection, task.limit);
    case "robots":
      return isAllowed(task.text, task.agent, task.path);
    case "xml":
      return xmlToJson(task.text);
    case "operations":
      return readOperations(task.text);
    case "json":
      return parseJson(task.text, MAX_JSON_VALUES);
  }
}
