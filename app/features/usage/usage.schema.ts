import { z } from "zod";

export const OUTCOMES = ["ok", "stopped", "interrupted", "error"] as const;
/** What asks for a call to a model or a tool. */
export const SOURCES = ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp"] as const;

/** Usage of one model call, as an answer's footer shows it. Null if the provider reported none. */
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
