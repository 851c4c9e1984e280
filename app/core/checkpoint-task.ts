import { z } from "zod";

/** What the thread that checkpoints is started with. */
export const CheckpointTask = z.object({
  file: z.string(),
  /** A log shorter than this is left alone, in bytes. */
  logBytes: z.number(),
});
export type CheckpointTask = z.infer<typeof CheckpointTask>;
