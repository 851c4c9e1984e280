import { z } from "zod";
import type { JobType } from "~/platform/jobs/job-kind.service.server";

const input = z.object({ importId: z.string() });

/** Separate from the work, to avoid an import cycle. */
export const importType = {
  kind: "chat.import",
  input,
  lane: "bulk",
} as const satisfies JobType<typeof input>;
