import type { FeatureFacts } from "../facts.schema";

export const feature = {
  audit: {
    "comparison.created": "Started a comparison of models",
    "comparison.stopped": "Stopped a comparison of models",
    "comparison.deleted": "Deleted a comparison of models",
  },
  commands: [
    {
      id: "compare-models",
      name: "Compare models",
      to: "/compare",
      icon: "Columns3",
      keywords: "side by side prompt fastest cheapest",
    },
  ],
} as const satisfies FeatureFacts;
