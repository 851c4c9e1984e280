import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "prompts.write": { minRole: "member", scope: "Edit prompts" },
  },
  audit: {
    "prompt.created": "Created the prompt {name}",
    "prompt.updated": "Changed the prompt {name}",
    "prompt.deleted": "Deleted the prompt {name}",
  },
} as const satisfies FeatureFacts;
