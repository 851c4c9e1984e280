import { z } from "zod";
import { INGEST_STEPS } from "../../documents/documents.schema";
import { blank, targetFields, URL_REQUIRED, UrlForm, WebAddress } from "../ingest.schema";

export const MAX_BATCH_URLS = 500;

/** URLs, or a sitemap. */
export const BatchInput = z
  .object({
    urls: z
      .array(z.string().max(4000))
      .max(MAX_BATCH_URLS, `Enter at most ${MAX_BATCH_URLS} addresses at once`)
      .optional(),
    sitemap: z.preprocess(blank, WebAddress.optional()),
    ...targetFields,
  })
  .superRefine(({ urls, sitemap }, context) => {
    if (sitemap !== undefined && urls !== undefined) {
      context.addIssue({ code: "custom", path: ["sitemap"], message: "Send either addresses or a sitemap" });
    }
    if (sitemap === undefined && !urls?.length) {
      context.addIssue({ code: "custom", path: ["urls"], message: URL_REQUIRED });
    }
    for (const [index, url] of (urls ?? []).entries()) {
      const parsed = WebAddress.safeParse(url);
      if (parsed.success) continue;
      const message = `Address ${index + 1} can't be used: ${parsed.error.issues[0]?.message ?? "unknown reason"}`;
      context.addIssue({ code: "custom", path: ["urls"], message });
    }
  });
export type BatchInput = z.infer<typeof BatchInput>;

const LIST_REQUIRED = "Please enter at least one address, or the address of a sitemap";

/** URLs, one per line, or a sitemap's URL. */
const BatchForm = z
  .object({
    addresses: z.string().max(500_000, "The list is too long. Split it into several lists").optional(),
    sitemap: z.string().optional(),
    ...targetFields,
  })
  .transform(({ addresses, sitemap, ...fields }, context): BatchInput => {
    const urls = addresses
      ?.split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
    const parsed = BatchInput.safeParse({ ...fields, ...(urls?.length ? { urls } : {}), sitemap });
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) {
      const field = path[0] === "sitemap" ? "sitemap" : "addresses";
      const words = urls?.length || sitemap ? message : LIST_REQUIRED;
      context.addIssue({ code: "custom", path: [field], message: words });
    }
    return z.NEVER;
  });

/** The URL tab's fields; inputs of other kinds are ignored. */
export const AddressForm = z
  .object({
    kind: z.string().default("page").describe("page, list or sitemap"),
    url: z.string().optional(),
    title: z.string().optional(),
    addresses: z.string().optional(),
    sitemap: z.string().optional(),
    ...targetFields,
  })
  .transform(({ kind, url, title, addresses, sitemap, ...fields }, context) => {
    const isBatch = kind === "list" || kind === "sitemap";
    const parsed = isBatch
      ? BatchForm.transform((batch) => ({ batch })).safeParse({
          ...fields,
          ...(kind === "list" ? { addresses } : { sitemap }),
        })
      : UrlForm.transform((page) => ({ page })).safeParse({ ...fields, url, title });
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });

export const BatchItem = z.object({
  id: z.string().describe("Unique per item, as two items may belong to the same document"),
  documentId: z.string().nullable().describe("Null for the sitemap itself"),
  name: z.string(),
  state: z.enum(["queued", "running", "done", "failed", "cancelled"]),
  outcome: z
    .enum(["added", "changed", "unchanged", "duplicate"])
    .nullable()
    .describe("Result, once it is done"),
  step: z.enum(INGEST_STEPS).nullable(),
  done: z.number().int(),
  total: z.number().int(),
  error: z.string().nullable(),
});
export type BatchItem = z.infer<typeof BatchItem>;

const Counts = z.object({
  total: z.number().int(),
  queued: z.number().int(),
  running: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
});

export const Batch = z.object({
  id: z.string(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  cancelledAt: z.iso.datetime().nullable(),
  counts: Counts,
  retryable: z.number().int().describe("Failed items that can be retried"),
  items: z.array(BatchItem).describe("One page of items"),
  page: z.number().int().describe("Page number, from 1"),
  pages: z.number().int().describe("Number of pages"),
});
export type Batch = z.infer<typeof Batch>;

/** A batch with queued, running or failed items. */
export const RecentBatch = z.object({
  id: z.string(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  counts: Counts,
  retryable: z.number().int().describe("Failed items that can be retried"),
  sitemapFailed: z.boolean().describe("Whether its sitemap couldn't be read"),
});
export type RecentBatch = z.infer<typeof RecentBatch>;

/** The page of items to return. */
export const BatchQuery = z.object({
  page: z.coerce.number().int().min(1).max(10_000).default(1),
  state: BatchItem.shape.state.optional().describe("Only items in this state"),
});
export type BatchQuery = z.infer<typeof BatchQuery>;

export const BatchId = z.object({ id: z.string().max(100) });
