import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "gateway.use": { minRole: "member", scope: "Call models through the gateway" },
  },
} as const satisfies FeatureFacts;
