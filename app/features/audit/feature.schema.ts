import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "audit.own": { minRole: "viewer", scope: "Read my own audit entries" },
    "audit.all": { minRole: "admin", scope: "Read the whole audit log" },
  },
  audit: {
    "audit.exported": "Exported the audit log as {format}",
    "audit.verified": "Verified the audit trail",
    "audit.accepted": "Accepted the audit trail as complete",
    "audit.anchored": "Anchored the audit trail",
    "audit.sealed": "Sealed the audit trail up to entry {upTo}",
    "audit.dropped": "Dropped the sealed audit entries up to entry {upTo}",
  },
  topics: { audit: "audit.own" },
} as const satisfies FeatureFacts;
