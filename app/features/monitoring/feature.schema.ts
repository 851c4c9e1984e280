import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: { "metrics.read": { minRole: "admin", scope: "Read metrics" } },
} as const satisfies FeatureFacts;
