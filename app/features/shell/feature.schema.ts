import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "screens.read": { minRole: "viewer", scope: "Read the screens' data" },
  },
} as const satisfies FeatureFacts;
