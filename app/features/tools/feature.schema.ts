import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: {
    "tool.called": "Called the tool {tool}",
    "tool.policy_changed": "Changed the approval policy of the tool {tool}",
  },
} as const satisfies FeatureFacts;
