import { z } from "zod";
import { CursorParam, nameField } from "~/platform/catalogue/fields.schema";
import { ENCODINGS } from "~/work/extraction/encodings.shared";
import { DocumentStatus, Visibility } from "./documents.schema";

/** Refresh intervals (ms): an hour and a year. */
export const MIN_REFRESH_INTERVAL = 3_600_000;
const MAX_REFRESH_INTERVAL = 366 * 24 * MIN_REFRESH_INTERVAL;
const MAX_READERS = 500;
const MAX_REORDERED = 2000;

const DocumentName = nameField("Document name is required");

export const DocumentId = z.object({ id: z.string().min(1).max(64) });

const CategoryName = z.string().trim().min(1).max(60);
const limit = z.coerce.number().int().min(1).max(500).default(100);

export const DocumentFilter = z.object({
  category: CategoryName.optional().describe("A category's name"),
  status: DocumentStatus.optional(),
  search: z.string().trim().max(200).optional().describe("Part of a name or of a source"),
  batch: z.string().max(100).optional().describe("Batch with which they were last added"),
});
export type DocumentFilter = z.infer<typeof DocumentFilter>;

export const DocumentQuery = DocumentFilter.extend({ limit, cursor: CursorParam });
export type DocumentQuery = z.infer<typeof DocumentQuery>;

export const PartQuery = z.object({ limit, cursor: CursorParam });
export type PartQuery = z.infer<typeof PartQuery>;

const version = z.coerce
  .number()
  .int()
  .min(1)
  .optional()
  .describe("A version's number; the current one by default");
export const VersionQuery = z.object({ version });

export const PageParams = DocumentId.extend({
  page: z.coerce.number().int().min(1).describe("Number of the page, from 1"),
});

export const TextQuery = VersionQuery.extend({
  from: z.coerce.number().int().min(0).default(0).describe("Position in the text, to get its page"),
});

export const RefreshEvery = z
  .number()
  .int()
  .min(MIN_REFRESH_INTERVAL, "Refresh at most once an hour")
  .max(MAX_REFRESH_INTERVAL, "Refresh at least once a year");

/** Partial update. The last three fields require the creator or an admin. */
export const DocumentPatch = z
  .object({
    category: CategoryName.describe("A category's name"),
    name: DocumentName,
    visibility: Visibility,
    readers: z
      .array(z.string().min(1).max(64))
      .max(MAX_READERS, `Choose at most ${MAX_READERS} members`)
      .describe("IDs of the members and groups with access to a restricted document, besides its creator"),
    refreshEvery: RefreshEvery.nullable().describe("Milliseconds between refreshes; null for never"),
  })
  .partial();
export type DocumentPatch = z.infer<typeof DocumentPatch>;

export const RenameForm = z.object({ name: DocumentName });
export const EncodingInput = z.object({
  encoding: z
    .enum(ENCODINGS.map(({ label }) => label))
    .describe("Encoding in which the original is read again"),
});
export type EncodingInput = z.infer<typeof EncodingInput>;

export const AccessForm = z.object({
  visibility: Visibility,
  readers: z.array(z.string().max(64)).max(MAX_READERS).default([]),
});
export const ScheduleForm = z.object({
  refreshEvery: z.coerce
    .number()
    .transform((every) => (every === 0 ? null : every))
    .pipe(RefreshEvery.nullable()),
});

export const CategoryScreenQuery = z.object({
  dialog: z.enum(["new", "rename", "delete"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
});

export const ReorderInput = z.object({
  category: CategoryName.describe("The category's name"),
  order: z
    .array(z.string().min(1).max(64))
    .min(1, "Choose at least one document")
    .max(MAX_REORDERED, `Choose at most ${MAX_REORDERED} documents`)
    .describe("IDs of the category's documents that come first"),
  after: z
    .string()
    .max(64)
    .optional()
    .describe("ID of the document to place them after; defaults to the beginning of the category"),
});
export type ReorderInput = z.infer<typeof ReorderInput>;

export const MAX_SELECTED = 500;
const ids = z
  .array(z.string().min(1).max(64))
  .min(1, "Select at least one document")
  .max(MAX_SELECTED, `Select at most ${MAX_SELECTED} documents`);
const target = CategoryName.describe("A category's name");

export const BulkInput = z.discriminatedUnion("action", [
  z.object({ action: z.literal("move"), ids, category: target }),
  z.object({ action: z.literal("retry"), ids }),
  z.object({ action: z.literal("delete"), ids }),
]);
export type BulkInput = z.infer<typeof BulkInput>;

export const BulkResult = z.object({
  documents: z.number().int().describe("Number of changed documents"),
  skipped: z
    .number()
    .int()
    .describe("Number of skipped documents: already there, not retryable, or not yours to delete"),
});
export type BulkResult = z.infer<typeof BulkResult>;

/** A single checkbox posts a string, several a list. */
const selected = z.preprocess((value) => (value === undefined ? [] : [value].flat()), ids);
export const SelectionForm = z.object({ ids: selected });
export const MoveSelectionForm = z.object({ ids: selected, category: target });

export const CategoryChoice = z.object({ category: z.string() });

export const SameNameInput = z.object({
  choice: z
    .enum(["version", "separate"])
    .describe("`version` makes it the older document's new version, `separate` keeps both"),
});
export type SameNameChoice = z.infer<typeof SameNameInput>["choice"];

export const MoveInput = z.object({ direction: z.enum(["up", "down"]) });
export type MoveInput = z.infer<typeof MoveInput>;
