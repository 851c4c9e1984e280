import { z } from "zod";

/** One environment variable as the Environment tab shows it; its value is never part of it. */
export const EnvironmentEntry = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean().describe("Whether the current configuration requires it"),
  present: z.boolean(),
  source: z
    .enum(["environment", "file", "generated", "default", "none"])
    .describe("Where its value comes from: `file` is .env, `generated` a file of the data folder"),
  masked: z.string().describe("A fixed row of bullets when present, empty otherwise"),
});
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>;
