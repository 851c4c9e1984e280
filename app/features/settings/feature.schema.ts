import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "preferences.write": { minRole: "viewer", scope: "Change my preferences" },
    "settings.manage": { minRole: "admin", scope: "Change the organization's settings" },
    "egress.manage": { minRole: "owner", scope: "Change the egress policy" },
    "backup.manage": { minRole: "owner", scope: "Back up and restore" },
    "safeguards.disable": {
      minRole: "owner",
      scope: "Turn off CSP and the audit log",
      refusal: "Only owners can weaken safeguards or accept the audit trail.",
    },
  },
  audit: {
    "cache.cleared": "Cleared the cache ({cleared})",
    "settings.updated": "Changed settings",
    "egress.updated": "Changed the allowed private hosts",
  },
} as const satisfies FeatureFacts;
