import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

const input = z.object({ runId: z.string() });

/** Resumes after a delay or time limit. */
export const resumeType: JobTypeOf<z.infer<typeof input>> & { input: typeof input } = {
  kind: "workflows.resume",
  input,
  lane: "interactive",
};
