import { z } from "zod";

export const ChainTask = z.object({
  database: z.string(),
  key: z.string(),
  from: z.object({ seq: z.int(), mac: z.string() }),
  headSeq: z.int(),
  limit: z.int(),
});
export type ChainTask = z.infer<typeof ChainTask>;
