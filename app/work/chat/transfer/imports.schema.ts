import { z } from "zod";

/** In bytes; archives of ChatGPT have all pictures. */
const MAX_FILE_BYTES = 2_000_000_000;
export const IMPORT_UPLOAD_LIMITS = { maxBytes: MAX_FILE_BYTES, fileBytes: MAX_FILE_BYTES, files: 1 };

export const ImportReport = z.object({
  imported: z.number().int().default(0),
  messages: z.number().int().default(0),
  alreadyImported: z.number().int().default(0).describe("Conversations that an earlier import added"),
  leftOut: z
    .record(z.string(), z.number().int())
    .default({})
    .describe("Skipped content, with a count per reason"),
  error: z.string().nullable().default(null).describe("Why the rest of the file couldn't be read"),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const ConversationImport = z.object({
  id: z.string(),
  fileName: z.string(),
  state: z.enum(["running", "done", "failed", "cancelled"]),
  report: ImportReport,
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type ConversationImport = z.infer<typeof ConversationImport>;

const EXPORT_FORMATS = ["markdown", "json", "html"] as const;

export const ExportQuery = z.object({
  format: z.enum(EXPORT_FORMATS, { error: "Choose markdown, json or html" }).default("markdown"),
});
export type ExportFormat = z.infer<typeof ExportQuery>["format"];

/** The format that a JSON export names, with all branches. */
export const EXPORT_VERSION = "conversation/2";
