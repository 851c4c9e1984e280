import { z } from "zod";

/** A statement for the process. */
export const WorkspaceTask = z.object({
  file: z.string(),
  sql: z.string(),
  parameters: z.array(z.union([z.string(), z.number(), z.null()])),
  write: z.boolean(),
  maxRows: z.number().int(),
  /** Of the result's JSON, in characters. */
  maxLength: z.number().int(),
  maxFileBytes: z.number().int(),
});
export type WorkspaceTask = z.infer<typeof WorkspaceTask>;

export const WorkspaceResult = z.object({
  /** JSON text, validated once when parsed. */
  rows: z.string(),
  /** Returned or changed rows. */
  rowCount: z.number(),
  truncated: z.boolean(),
});
export type WorkspaceResult = z.infer<typeof WorkspaceResult>;
