import { z } from "zod";

/** How far a tool call is, as its tool says. */
export const ToolProgress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;
