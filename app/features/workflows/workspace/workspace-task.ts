import { z } from "zod";

/** A statement on the workspace database, as it goes to the process that runs it. */
export const WorkspaceTask = z.object({
  file: z.string(),
  sql: z.string(),
  parameters: z.array(z.union([z.string(), z.number(), z.null()])),
  write: z.boolean(),
  maxRows: z.number().int(),
  /** Of the result's JSON, in characters. */
  maxLength: z.number().int(),
  /** Of the whole file, in bytes. */
  maxFileBytes: z.number().int(),
});
export type WorkspaceTask = z.infer<typeof WorkspaceTask>;

export const WorkspaceResult = z.object({
  /** The rows as JSON: a value's texts are checked once, where they are parsed. */
  rows: z.string(),
  /** Rows returned, or changed where none are. */
  rowCount: z.number(),
  truncated: z.boolean(),
});
export type WorkspaceResult = z.infer<typeof WorkspaceResult>;
