import { z } from "zod";
import { findTrailFault } from "~/platform/audit/audit-head.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { addAnchor } from "./anchor.server";

export const anchorAuditJob = defineJob({
  kind: "audit.anchor",
  title: "Anchor the audit trail outside the data folder",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 60_000,
  schedule: { cron: "5 0 * * *", input: {} },
  async run() {
    // Never anchor a trail with a fault.
    if (findTrailFault() === undefined) await addAnchor();
  },
});
