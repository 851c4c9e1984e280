import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: { "errors.cleared": "Cleared the error reports" },
} as const satisfies FeatureFacts;
