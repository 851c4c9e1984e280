import { z } from "zod";
import type { Db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { sweepAttachments } from "./unused-blobs.server";

export const sweepAttachmentsJob = defineJob({
  kind: "attachments.sweep",
  title: "Delete files of removed attachments",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: HOUR,
  keepMs: HOUR,
  schedule: { everyMs: HOUR, input: {} },
  async run({ signal }) {
    await sweepAttachments(signal);
  },
});

/** Deletes orphaned files after the transaction that deletes attachments, such as a conversation's. */
export function sweepAfterCommit(tx: Db): void {
  enqueue(tx, sweepAttachmentsJob, {}, { dedupeKey: "sweep" });
}
