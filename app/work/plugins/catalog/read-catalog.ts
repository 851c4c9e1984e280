import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { MAX_LIST_VALUES, parseJson } from "~/core/parse";
import { clip } from "~/core/well-formed";
import { PLUGIN_CATEGORY_IDS } from "../categories.shared";
import { PLUGIN_STATUSES, PluginId, PRICING } from "../manifest.schema";

const CATALOG_FORMAT = "plugins/1";
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

const CatalogFile = z.object({
  format: z.literal(CATALOG_FORMAT),
  plugins: z.array(z.unknown()).max(MAX_ENTRIES, `A catalog has at most ${MAX_ENTRIES} plugins`),
});

/** The checksum that an entry carries: SHA-256, in hex. */
const Checksum = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });

/** Without spaces, keys sorted by code units. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`);
  return `{${parts.join(",")}}`;
}

/** SHA-256 of the canonical JSON without `sha256`. */
export function checksumOf(entry: Readonly<Record<string, unknown>>): string {
  const { sha256: _, ...rest } = entry;
  return createHash("sha256").update(canonicalJson(rest)).digest("hex");
}

/** @returns the entry, or why it is skipped */
function readEntry(raw: unknown, existingIds: ReadonlySet<string>): ListedEntry | string {
  const checksum = Checksum.safeParse(raw);
  if (!checksum.success) return "it has no checksum";
  if (checksum.data.sha256 !== checksumOf(raw as Record<string, unknown>))
    return "its checksum doesn't match";
  const parsed = ListedEntry.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join(".") || "entry"}: ${issue?.message ?? "invalid"}`;
  }
  const { id, pricing, price, purchaseUrl, server } = parsed.data;
  // A listed plugin can't take an existing id.
  if (existingIds.has(id) || id.startsWith("mcp-")) return `the id ${id} is taken`;
  if (pricing === "premium" && price === null) return "a premium plugin needs a price";
  if (pricing !== "free" && server) return "a paid plugin has a purchase address in place of a server";
  if (!server && !purchaseUrl) return "it has neither a server nor a purchase address";
  return parsed.data;
}

const nameOf = (raw: unknown, index: number): string => {
  const { id } = (typeof raw === "object" && raw !== null ? raw : {}) as { id?: unknown };
  return typeof id === "string" ? id.slice(0, 40) : `entry ${index + 1}`;
};

/**
 * Parses a catalog. Invalid entries are skipped, with their reasons.
 *
 * @param existingIds ids that entries can't use
 * @throws AppError `provider_rejected` if the text isn't a catalog
 */
export function readCatalog(text: string, existingIds: ReadonlySet<string>) {
  let json: unknown;
  try {
    json = parseJson(text, MAX_LIST_VALUES);
  } catch (cause) {
    throw new AppError("provider_rejected", "The catalog isn't JSON.", { cause });
  }
  const file = CatalogFile.safeParse(json);
  if (!file.success) {
    const reason = file.error.issues[0]?.message ?? "";
    throw new AppError(
      "provider_rejected",
      `This isn't a catalog in the format ${CATALOG_FORMAT}. ${reason}`,
    );
  }
  const seen = new Set(existingIds);
  const skipped: string[] = [];
  const entries = file.data.plugins.flatMap((raw, index) => {
    const entry = readEntry(raw, seen);
    if (typeof entry === "string") {
      skipped.push(clip(`${nameOf(raw, index)}: ${entry}`.toWellFormed(), 200));
      return [];
    }
    seen.add(entry.id);
    return [entry];
  });
  return { entries, skipped };
}
