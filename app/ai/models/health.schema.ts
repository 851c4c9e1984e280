import { z } from "zod";

const PROVIDER_STATUSES = ["online", "warning", "offline", "unknown"] as const;

/** Display texts with their figures. Times in ms. */
export const ProviderStatus = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string().describe("Type of the provider"),
  models: z.string().describe("Number of its models, as text"),
  status: z.enum(PROVIDER_STATUSES).describe("unknown: neither called nor checked yet"),
  latency: z.string().describe("Time to first token as measured last; a dash before the first call"),
  usage: z.string().describe("Calls and cost since midnight (UTC); a dash without calls"),
  enabled: z.boolean(),
  latencyMs: z.number().nullable().describe("Mean time to the first token"),
  probeMs: z.number().nullable().describe("How long the last probe took"),
  calls: z.number().int().describe("Attempts of the last 15 minutes"),
  errorRate: z.number().nullable().describe("Failed share of these, 0 to 1; null without any"),
  lastFailure: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
  active: z.number().int().describe("Calls in progress"),
  waiting: z.number().int().describe("Queued calls"),
  pausedUntil: z.iso.datetime().nullable().describe("End of the pause after failures"),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
