import { z } from "zod";

/** By group id. */
export const SettingsExport = z.record(
  z.string(),
  z.object({ version: z.number().int(), values: z.record(z.string(), z.unknown()) }),
);
export type SettingsExport = z.infer<typeof SettingsExport>;
