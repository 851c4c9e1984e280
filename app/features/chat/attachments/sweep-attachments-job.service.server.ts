import { z } from "zod";
import type { Db } from "~/core/db.server";
import { enqueue } from "~/features/jobs/enqueue.service.server";
import { defineJob } from "~/features/jobs/job-kind.service.server";
import { sweepAttachments } from "./unused-blobs.server";

const HOUR = 60 * 60_000;

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

/** Deletes the files of attachments that a transaction deletes, such as a conversation's, once it is committed. */
export function sweepAfterCommit(tx: Db): void {
  enqueue(tx, sweepAttachmentsJob, {}, { dedupeKey: "sweep" });
}
