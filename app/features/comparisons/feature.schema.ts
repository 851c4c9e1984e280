import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: {
    "comparison.created": "Started a comparison of models",
    "comparison.stopped": "Stopped a comparison of models",
    "comparison.deleted": "Deleted a comparison of models",
  },
} as const satisfies FeatureFacts;
