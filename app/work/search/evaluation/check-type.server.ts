import { z } from "zod";
import type { Db } from "~/core/db.server";
import { findActive } from "~/platform/jobs/active-job.service.server";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

export const CheckRequest = z.object({
  run: z.string(),
  questions: z.number().int(),
  judged: z.number().int(),
  total: z.number().int(),
});
export type CheckRequest = z.infer<typeof CheckRequest>;

export const checkType: JobTypeOf<CheckRequest> & { input: typeof CheckRequest } = {
  kind: "retrieval.check",
  input: CheckRequest,
  lane: "bulk",
};

export function findRequestedCheck(tx: Db, orgId: string) {
  return findActive(tx, checkType, orgId);
}
