import { z } from "zod";

export interface ReadQuery {
  sql: string;
  params: unknown[];
}

export const ReadTask = z.object({
  database: z.string(),
  queries: z.array(z.object({ sql: z.string(), params: z.array(z.unknown()) })),
  maxRows: z.number().int().optional(),
});
export type ReadTask = z.infer<typeof ReadTask>;

export type ReadRows = unknown[][][];
