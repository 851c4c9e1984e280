import { z } from "zod";

/** A part of the chain to check, as a thread is given it. */
export const ChainTask = z.object({
  /** The database's file. */
  database: z.string(),
  key: z.string(),
  from: z.object({ seq: z.int(), mac: z.string() }),
  noted: z.int(),
  limit: z.int(),
});
export type ChainTask = z.infer<typeof ChainTask>;
