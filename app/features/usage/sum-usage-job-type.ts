import { z } from "zod";
import type { JobTypeOf } from "~/features/jobs/job-kind.service.server";

const input = z.object({});

/** The job's kind on its own, for what adds one. */
export const sumUsage = {
  kind: "usage.sum-old",
  input,
  lane: "maintenance",
} as const satisfies JobTypeOf<z.input<typeof input>>;
