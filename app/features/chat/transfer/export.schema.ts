import { z } from "zod";

const EXPORT_FORMATS = ["markdown", "json", "html"] as const;

export const ExportQuery = z.object({
  format: z.enum(EXPORT_FORMATS, { error: "Choose markdown, json or html" }).default("markdown"),
});
export type ExportFormat = z.infer<typeof ExportQuery>["format"];

/** What a JSON export says it is. */
export const EXPORT_VERSION = "conversation/1";
/** Its name in exports of before 2026-12. */
export const EARLIER_VERSION = "quarterdeck.conversation/1";
