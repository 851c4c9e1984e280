import { z } from "zod";

export const CodeTask = z.object({
  code: z.string(),
  /** JSON text. */
  input: z.string(),
  /** What its clock says throughout, in ms since the epoch. */
  now: z.number().int(),
});
export type CodeTask = z.infer<typeof CodeTask>;

export const LogLine = z.object({ level: z.enum(["debug", "info", "warn", "error"]), message: z.string() });

export const CodeResult = z.object({
  /** The returned value as JSON text, validated once when parsed; null after an error. */
  json: z.string().nullable(),
  /** For the author, with the line; null after a success. */
  error: z.string().nullable(),
  log: z.array(LogLine),
});
export type CodeResult = z.infer<typeof CodeResult>;
