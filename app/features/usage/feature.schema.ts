import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "usage.own": { minRole: "viewer", scope: "Read my own usage" },
    "usage.all": { minRole: "admin", scope: "Read the whole organization's usage" },
  },
  topics: { usage: "screens.read" },
} as const satisfies FeatureFacts;
