import { z } from "zod";

export const OUTCOMES = ["ok", "stopped", "interrupted", "error"] as const;
/** Origin of a call. */
export const SOURCES = ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp"] as const;

/** Null if not reported. */
export const UsageSummary = z.object({
  id: z.string(),
  model: z.string(),
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  costMicros: z.number().int().nullable().describe("Millionths of a US dollar"),
  firstTokenMs: z.number().int().nullable(),
  durationMs: z.number().int().nullable(),
  outcome: z.enum(OUTCOMES),
});
export type UsageSummary = z.infer<typeof UsageSummary>;
