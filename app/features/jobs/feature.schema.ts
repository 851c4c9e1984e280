import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: {
    "job.retried": "Retried the background job {kind}",
    "job.cancelled": "Canceled the background job {kind}",
  },
  topics: { jobs: "settings.manage" },
} as const satisfies FeatureFacts;
