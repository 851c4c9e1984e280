import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "plugins.manage": { least: "admin", scope: "Install and configure plugins" },
  },
  audit: {
    "extension.enabled": "Enabled an extension",
    "extension.disabled": "Disabled an extension",
  },
  screens: [
    {
      name: "Extensions",
      to: "/extensions",
      icon: "Puzzle",
      side: 4,
      key: "7",
      letter: "e",
      keywords: "plugins marketplace",
    },
  ],
} as const satisfies FeatureFacts;
