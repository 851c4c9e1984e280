import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "personas.write": { least: "member", scope: "Edit personas" },
  },
  audit: {
    "persona.created": "Created the persona {name}",
    "persona.updated": "Changed the persona {name}",
    "persona.deleted": "Deleted the persona {name}",
  },
  screens: [
    { name: "Personas", to: "/personas", icon: "Bot", side: 5, key: "4", letter: "p", keywords: "prompts" },
  ],
  commands: [
    {
      id: "add-persona",
      name: "Add new persona",
      to: "/personas",
      icon: "UserPlus",
      keywords: "create prompt",
      needs: "personas.write",
    },
  ],
} as const satisfies FeatureFacts;
