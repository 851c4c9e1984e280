import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

const input = z.object({ workflowId: z.string(), triggerId: z.string() });

/** Starts a scheduled run. */
export const dueType: JobTypeOf<z.infer<typeof input>> & { input: typeof input } = {
  kind: "workflows.due",
  input,
  lane: "interactive",
};
