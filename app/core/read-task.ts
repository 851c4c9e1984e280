import { z } from "zod";

/** Compiled SQL that only reads, with its parameters. */
export interface ReadQuery {
  sql: string;
  params: unknown[];
}

/** Message to a reading thread. */
export const ReadTask = z.object({
  /** The database's file. */
  database: z.string(),
  queries: z.array(z.object({ sql: z.string(), params: z.array(z.unknown()) })),
  /** After as many rows in all the queries that are left aren't asked. */
  enough: z.number().int().optional(),
});
export type ReadTask = z.infer<typeof ReadTask>;

/** Each query's rows, each row its columns in their order. */
export type ReadRows = unknown[][][];
