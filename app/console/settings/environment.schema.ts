import { z } from "zod";

/** Never includes the value. */
export const EnvironmentEntry = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean().describe("Whether the current configuration requires it"),
  present: z.boolean(),
  source: z
    .enum(["environment", "file", "generated", "default", "none"])
    .describe("Source of the value: `file` is .env, `generated` a file in the data folder"),
  masked: z.string().describe("A fixed row of bullets when present, empty otherwise"),
});
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>;
