import { z } from "zod";
import { blankToUndefined, targetFields, UrlForm, WebAddress } from "./ingest.schema";

export const MAX_BATCH_URLS = 500;

const LIST_REQUIRED = "Please enter at least one address, or the address of a sitemap";

export const BatchInput = z
  .object({
    urls: z
      .array(z.string().max(4000))
      .max(MAX_BATCH_URLS, `Enter at most ${MAX_BATCH_URLS} addresses at once`)
      .optional(),
    sitemap: z.preprocess(blankToUndefined, WebAddress.optional()),
    ...targetFields,
  })
  .superRefine(({ urls, sitemap }, context) => {
    if (sitemap !== undefined && urls !== undefined) {
      context.addIssue({ code: "custom", path: ["sitemap"], message: "Send either addresses or a sitemap" });
    }
    if (sitemap === undefined && !urls?.length) {
      context.addIssue({ code: "custom", path: ["urls"], message: LIST_REQUIRED });
    }
    for (const [index, url] of (urls ?? []).entries()) {
      const parsed = WebAddress.safeParse(url);
      if (parsed.success) continue;
      const message = `Address ${index + 1} can't be used: ${parsed.error.issues[0]?.message ?? "unknown reason"}`;
      context.addIssue({ code: "custom", path: ["urls"], message });
    }
  });
export type BatchInput = z.infer<typeof BatchInput>;

/** The URL tab's fields; inputs of other kinds are ignored. */
export const AddressForm = z
  .object({
    kind: z.enum(["page", "list", "sitemap"]).default("page"),
    url: z.string().optional(),
    title: z.string().optional(),
    addresses: z.string().max(500_000, "The list is too long. Split it into several lists").optional(),
    sitemap: z.string().optional(),
    ...targetFields,
  })
  .transform(({ kind, url, title, addresses = "", sitemap, ...fields }, context) => {
    const urls = addresses.split(/\r?\n/).flatMap((line) => line.trim() || []);
    const parsed =
      kind === "page"
        ? UrlForm.transform((page) => ({ page })).safeParse({ ...fields, url, title })
        : BatchInput.transform((batch) => ({ batch })).safeParse(
            kind === "list" ? { ...fields, urls } : { ...fields, sitemap },
          );
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) {
      // A missing list or sitemap is reported for `urls`.
      const field = path[0] === "urls" ? (kind === "list" ? "addresses" : "sitemap") : path[0];
      context.addIssue({ code: "custom", path: field === undefined ? [] : [String(field)], message });
    }
    return z.NEVER;
  });

/** Documents that were added together: `GET /api/rag/documents?batch=` lists them. */
export const Batch = z.object({
  id: z.string(),
  counts: z.object({
    total: z.number().int(),
    processing: z.number().int(),
    ready: z.number().int(),
    failed: z.number().int(),
  }),
  sitemap: z
    .object({
      isActive: z.boolean().describe("Whether it is still being read"),
      error: z.string().nullable(),
    })
    .nullable()
    .describe("Its sitemap, while that is read and for an hour after"),
});
export type Batch = z.infer<typeof Batch>;

export const Cancelled = z.object({ documents: z.number().int().describe("Number of canceled documents") });

export const BatchId = z.object({ id: z.string().max(100) });
