import { z } from "zod";

export const CheckpointTask = z.object({
  file: z.string(),
  /** Minimum length of the write-ahead log. */
  logBytes: z.number(),
});
export type CheckpointTask = z.infer<typeof CheckpointTask>;
