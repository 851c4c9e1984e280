import { z } from "zod";
import { clip, linesOf } from "~/core/well-formed";
import { nameField } from "~/platform/catalogue/fields.schema";
import { cleanName, MAX_RAW_NAME_LENGTH } from "~/platform/catalogue/names";
import { MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import { DocumentStatus, SameName, Visibility } from "../documents.schema";
import { MAX_TEXT, SCHEDULES, TEXT_TOO_LONG } from "./ingest.shared";

const TEXT_REQUIRED = "Please enter text content";

const LongText = z
  .string({ error: TEXT_REQUIRED })
  .max(MAX_TEXT, TEXT_TOO_LONG)
  .refine((text) => text.trim() !== "", TEXT_REQUIRED);

export const TextFormat = z
  .enum(["text", "markdown"])
  .default("text")
  .describe("`markdown` reads headings, lists and tables from the text");
export type TextFormat = z.infer<typeof TextFormat>;

export const MAX_UPLOAD_FILES = 100;
/** One byte and one file above the limit, so that the refusal can name the file. */
export const UPLOAD_LIMITS = {
  maxBytes: 1_000_000_000,
  fileBytes: MAX_FILE_BYTES + 1,
  files: MAX_UPLOAD_FILES + 1,
};

const URL_REQUIRED = "Please enter a URL";

/** Forms send an empty string for a blank field, programs may send null. */
const blankToUndefined = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;

/** An http(s) URL in normalized form, without the fragment. */
export const WebAddress = z
  .string()
  .trim()
  .min(1, URL_REQUIRED)
  .max(4000, "The address has at most 4000 characters")
  .transform((value, context) => {
    const withScheme = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `https://${value}`;
    const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) {
      context.addIssue({
        code: "custom",
        message: "Enter a complete address, such as https://example.com/page",
      });
      return z.NEVER;
    }
    if (url.username || url.password) {
      context.addIssue({ code: "custom", message: "Remove the user name and password from the address" });
      return z.NEVER;
    }
    url.hash = "";
    return url.href;
  });

/** Category, visibility and refresh interval, shared by all ways to add documents. */
const targetFields = {
  category: z
    .preprocess(blankToUndefined, z.string().trim().max(60).optional())
    .describe("Name; Uncategorized by default"),
  visibility: z.preprocess(blankToUndefined, Visibility.default("organisation")),
  readers: z
    .preprocess(
      (value) => (value === undefined || value === "" ? [] : Array.isArray(value) ? value : [value]),
      z.array(z.string().max(100)).max(500),
    )
    .describe("IDs of the members and groups with access to a restricted document, besides its creator"),
  refresh: z
    .preprocess(blankToUndefined, z.enum(SCHEDULES.map(({ name }) => name)).default("off"))
    .describe("Refresh schedule of an address; ignored for texts and files"),
};

export const TargetInput = z.object(targetFields);
export type TargetInput = z.infer<typeof TargetInput>;

/** A title without visible characters counts as blank. */
const cleanTitle = (value: unknown) =>
  typeof value === "string" && value.length <= MAX_RAW_NAME_LENGTH && cleanName(value) === ""
    ? undefined
    : blankToUndefined(value);

const Title = z
  .preprocess(cleanTitle, nameField("Please enter a title").optional())
  .describe("By default Text Document with the date, or the address's host and path");

/** Drops a blank `text` or `url`, since some clients send both. */
function dropBlankField(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const { text = undefined, url = undefined, ...rest } = input as { text?: unknown; url?: unknown };
  const [noText, noUrl] = [blankToUndefined(text) === undefined, blankToUndefined(url) === undefined];
  return {
    ...rest,
    ...(text === null || (noText && !noUrl) ? {} : { text }),
    ...(url === null || (noUrl && text != null) ? {} : { url }),
  };
}

const TextOrUrl = z
  .object({
    text: z.string().max(MAX_TEXT, TEXT_TOO_LONG).optional(),
    format: TextFormat,
    url: z.string().max(4000, "The address has at most 4000 characters").optional(),
    title: Title,
    ...targetFields,
  })
  .superRefine(({ text, url }, context) => {
    if (text !== undefined && url !== undefined) {
      context.addIssue({ code: "custom", path: ["url"], message: "Send either text or a URL, not both" });
    } else if (url !== undefined) {
      const parsed = WebAddress.safeParse(url);
      for (const issue of parsed.error?.issues ?? [])
        context.addIssue({ code: "custom", path: ["url"], message: issue.message });
    } else if (!text?.trim()) {
      context.addIssue({ code: "custom", path: ["text"], message: TEXT_REQUIRED });
    }
  });

export const IngestInput = z.preprocess(dropBlankField, TextOrUrl);
export type IngestInput = z.infer<typeof IngestInput>;

export const TextForm = z.object({
  text: LongText,
  format: TextFormat,
  title: Title,
  ...targetFields,
});

export const UrlForm = z.object({
  url: z.string({ error: URL_REQUIRED }).pipe(WebAddress),
  title: Title,
  ...targetFields,
});

export const VersionForm = z.object({ file: z.string({ error: "Please choose a file" }).describe("A file") });

export const VersionText = z.object({ text: LongText, format: TextFormat });

export const Ingested = z.object({
  id: z.string(),
  title: z.string(),
  chunks: z.number().int(),
  hasEmbeddings: z.boolean(),
  duplicate: z.literal(true).optional().describe("True if it already existed and nothing was added"),
});
export type Ingested = z.infer<typeof Ingested>;

export const UploadedFile = z.object({
  id: z.string().nullable().describe("Null for a file whose type isn't supported: it isn't stored"),
  name: z.string(),
  status: DocumentStatus,
  error: z.string().nullable(),
  duplicateOf: z.string().nullable().describe("Name of the existing document with the same content"),
  sameNameAs: SameName,
});
export type UploadedFile = z.infer<typeof UploadedFile>;

/** Fields come before files. */
export type UploadPart =
  | { kind: "field"; name: string; value: string }
  | { kind: "file"; fileName: string; contentType: string; bytes: AsyncIterable<Uint8Array> };

/** The typed values of a rejected upload, to show them again. */
export interface RefusedUpload {
  problem: string;
  fields: [name: string, value: string][];
}

export const SameNameRule = z
  .enum(["ask", "version", "separate"])
  .default("ask")
  .describe(
    "What a file with the name of an older document is: `version` of that, a `separate` document, or what you decide " +
      "later. Files within archives always ask",
  );
export type SameNameRule = z.infer<typeof SameNameRule>;

export const UploadForm = z.object({
  category: z.string().optional(),
  visibility: Visibility.optional(),
  readers: z.array(z.string()).optional(),
  batch: z.string().optional().describe("Earlier batch to add these files to"),
  sameName: SameNameRule.optional(),
  files: z.array(z.string().describe("A file")).describe("After the other fields"),
});

export const IngestedId = z.object({ id: z.string().max(100) });

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
      // By its text too: a list in a form has blank lines, which don't count.
      const message = `Address ${index + 1} (${clip(url, 80)}) can't be used: ${parsed.error.issues[0]?.message ?? "unknown reason"}`;
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
    const urls = linesOf(addresses);
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
  sameNames: z
    .array(z.string())
    .describe("IDs of those that may be new versions of older documents, until you decide"),
});
export type Batch = z.infer<typeof Batch>;

export const Cancelled = z.object({ documents: z.number().int().describe("Number of canceled documents") });

export const BatchId = z.object({ id: z.string().max(100) });
