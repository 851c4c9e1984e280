import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "providers.manage": { least: "admin", scope: "Manage providers and models" },
  },
  audit: {
    "provider.created": "Added the provider {provider}",
    "provider.updated": "Changed the provider {provider}",
    "provider.deleted": "Deleted the provider {provider}",
    "model.added": "Added the model {model}",
    "model.updated": "Changed the model {model}",
    "model.removed": "Removed the model {model}",
    "models.discovered": "Refreshed the lists of the model hubs",
  },
  screens: [
    {
      name: "Providers",
      to: "/providers",
      icon: "Cable",
      key: "6",
      letter: "m",
      keywords: "models",
      needs: "providers.manage",
    },
  ],
  commands: [
    {
      id: "configure-provider",
      name: "Configure provider",
      to: "/providers",
      icon: "Cable",
      keywords: "set up model openai anthropic google",
      needs: "providers.manage",
    },
  ],
} as const satisfies FeatureFacts;
