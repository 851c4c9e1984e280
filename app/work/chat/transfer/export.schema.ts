import { z } from "zod";

const EXPORT_FORMATS = ["markdown", "json", "html"] as const;

export const ExportQuery = z.object({
  format: z.enum(EXPORT_FORMATS, { error: "Choose markdown, json or html" }).default("markdown"),
});
export type ExportFormat = z.infer<typeof ExportQuery>["format"];

/** The format that a JSON export names, with all branches. */
export const EXPORT_VERSION = "conversation/2";
