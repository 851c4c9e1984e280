import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "keys.manage": { minRole: "admin", scope: "Manage key references" },
    "keys.origin": {
      minRole: "owner",
      scope: "Change where a key is sent",
      refusal: "Only an owner can change where a key is sent.",
    },
  },
  audit: {
    "api_key.created": "Added the key reference {alias}",
    "api_key.updated": "Changed where the key {alias} is sent",
    "api_key.deleted": "Deleted the key reference {alias}",
  },
} as const satisfies FeatureFacts;
