import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: {
    "kv.set": "Set a value in the key-value store",
  },
} as const satisfies FeatureFacts;
