import { z } from "zod";
import type { JobType } from "~/features/jobs/job-kind.service.server";

const input = z.object({ importId: z.string() });

/** The kind of an import's job, apart from its work. */
export const importType = {
  kind: "chat.import",
  input,
  lane: "bulk",
} as const satisfies JobType<typeof input>;
