import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "personas.write": { minRole: "member", scope: "Edit personas" },
  },
  audit: {
    "persona.created": "Created the persona {name}",
    "persona.updated": "Changed the persona {name}",
    "persona.deleted": "Deleted the persona {name}",
  },
} as const satisfies FeatureFacts;
