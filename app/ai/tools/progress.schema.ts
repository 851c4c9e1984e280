import { z } from "zod";

export const ToolProgress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;
