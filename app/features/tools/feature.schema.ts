import type { FeatureFacts } from "../facts.schema";

export const feature = {
  audit: {
    "tool.called": "Called the tool {tool}",
    "tool.policy_changed": "Changed when calls of the tool {tool} run",
  },
} as const satisfies FeatureFacts;
