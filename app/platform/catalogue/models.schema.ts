import { z } from "zod";

export const ModelId = z.string().trim().min(1).max(200, "Use at most 200 characters in a model ID");

/** The form sends an id per line, the API an array. */
export function idLines(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value
    .split(/[\n,]+/)
    .map((id) => id.trim())
    .filter(Boolean);
}

const POLICIES = ["priority", "cheapest", "fastest", "least-loaded"] as const;
export const RoutingPolicy = z.enum(POLICIES);
export type RoutingPolicy = z.infer<typeof RoutingPolicy>;

/** Times in ms. */
export const RouteAttempt = z.object({
  providerId: z.string().nullable(),
  providerType: z.string(),
  provider: z.string().describe("The provider's display name"),
  model: z.string().describe("Id requested from the provider"),
  outcome: z.enum(["answered", "failed", "skipped"]),
  reason: z.string().nullable(),
  code: z.string().nullable(),
  said: z.string().optional().describe("The provider's own words"),
  durationMs: z.number(),
});
export type RouteAttempt = z.infer<typeof RouteAttempt>;

export const RouteRecord = z.object({
  policy: RoutingPolicy,
  reason: z.string(),
  attempts: z.array(RouteAttempt),
});
export type RouteRecord = z.infer<typeof RouteRecord>;
