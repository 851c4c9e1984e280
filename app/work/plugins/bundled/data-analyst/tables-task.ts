import { z } from "zod";

export const TablesTask = z.object({
  tables: z.array(z.object({ name: z.string(), csv: z.string() })),
  sql: z.string(),
  maxRows: z.number().int(),
  /** Of the result's JSON, in characters. */
  maxLength: z.number().int(),
});
export type TablesTask = z.infer<typeof TablesTask>;

export const TablesResult = z.object({
  columns: z.array(z.string()),
  rows: z.string(),
  rowCount: z.number().int(),
  truncated: z.boolean(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number().int() })),
});
export type TablesResult = z.infer<typeof TablesResult>;
