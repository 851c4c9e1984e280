import { z } from "zod";

export const CheckpointTask = z.object({
  file: z.string(),
  logBytes: z.number(),
});
export type CheckpointTask = z.infer<typeof CheckpointTask>;
