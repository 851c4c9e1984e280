import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "plugins.manage": { least: "admin", scope: "Install and configure plugins" },
  },
  audit: {
    "extension.enabled": "Enabled an extension",
    "extension.disabled": "Disabled an extension",
  },
} as const satisfies FeatureFacts;
