import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

const input = z.object({});

/** Separate, to avoid an import cycle. */
export const sumUsage = {
  kind: "usage.sum-old",
  input,
  lane: "maintenance",
} as const satisfies JobTypeOf<z.input<typeof input>>;
