import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "screens.read": { least: "viewer", scope: "Read the screens' data" },
  },
} as const satisfies FeatureFacts;
