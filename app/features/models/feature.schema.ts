import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "providers.manage": { minRole: "admin", scope: "Manage providers and models" },
  },
  audit: {
    "provider.created": "Added the provider {displayName|provider?}",
    "provider.updated": "Changed the provider {displayName|provider?}",
    "provider.deleted": "Deleted the provider {displayName|provider?}",
    "model.added": "Added the model {model}",
    "model.updated": "Changed the model {model}",
    "model.removed": "Removed the model {model}",
    "models.discovered": "Refreshed the lists of the model hubs",
  },
} as const satisfies FeatureFacts;
