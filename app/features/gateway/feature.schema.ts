import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "gateway.use": { minRole: "member", scope: "Call models through the gateway" },
  },
} as const satisfies FeatureFacts;
