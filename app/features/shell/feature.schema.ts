import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "screens.read": { minRole: "viewer", scope: "Read the screens' data" },
  },
} as const satisfies FeatureFacts;
