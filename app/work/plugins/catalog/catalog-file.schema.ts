import { z } from "zod";
import { PLUGIN_CATEGORY_IDS } from "../categories.shared";
import { PLUGIN_STATUSES, PluginId, PRICING } from "../manifest.schema";

export const CATALOG_FORMAT = "plugins/1";
const MAX_ENTRIES = 500;

const webAddress = (protocol: RegExp, message: string) =>
  z
    .url({ protocol, error: message })
    .max(1000)
    .refine(
      (value) => !(new URL(value).username || new URL(value).password),
      "Leave names and passwords out",
    );

/** An MCP server or a link to a shop; never code. Other fields are dropped. */
export const ListedEntry = z.object({
  id: PluginId,
  title: z.string().trim().min(1).max(60),
  author: z.string().trim().min(1).max(60),
  description: z.string().trim().min(1).max(600),
  tags: z.array(z.string().trim().min(1).max(30)).max(10).default([]),
  version: z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/),
  released: z.iso.date(),
  pricing: z.enum(PRICING).default("free"),
  price: z.number().nonnegative().max(1_000_000).nullable().default(null),
  purchaseUrl: webAddress(/^https$/, "Use an https address").optional(),
  status: z.enum(PLUGIN_STATUSES).default("active"),
  categories: z.array(z.enum(PLUGIN_CATEGORY_IDS)).min(1).max(3),
  server: z
    .object({ url: webAddress(/^https?$/, "Use an http or https address") })
    .optional()
    .describe("An MCP server that is installed by its address"),
});
export type ListedEntry = z.infer<typeof ListedEntry>;

export const CatalogFile = z.object({
  format: z.literal(CATALOG_FORMAT),
  plugins: z.array(z.unknown()).max(MAX_ENTRIES, `A catalog has at most ${MAX_ENTRIES} plugins`),
});

/** The checksum that an entry carries: SHA-256, in hex. */
export const Checksum = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
