import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "notifications.own": { minRole: "viewer", scope: "Read and mark my notifications" },
  },
  topics: { notifications: "notifications.own" },
} as const satisfies FeatureFacts;
