import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: { "metrics.read": { minRole: "admin", scope: "Read metrics" } },
} as const satisfies FeatureFacts;
