import { z } from "zod";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY, HOUR, MINUTE, SECOND } from "~/core/durations";
import { findActive } from "~/platform/jobs/enqueue.service.server";
import { defineJob, type JobKind, onJobChanged } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { notify } from "~/team/notifications/notify.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { retarget, retargetJob } from "./retarget.server";
import type { SyncResult } from "./source.schema";
import { sourceAddress } from "./source-fields.shared";
import { findSource, listDueSources, type SourceRow, updateSourceRow } from "./sources.repo.server";
import { planSync, scheduleNext, syncJob } from "./sources.service.server";
import { syncSource } from "./sync-source.server";

const NOTHING = { added: 0, updated: 0, removed: 0, unchanged: 0, skipped: 0, failed: 0, isComplete: false };

const failure = (error: string): SyncResult => ({ ...NOTHING, at: now(), error });

const syncJobKind = defineJob({
  ...syncJob,
  title: "Sync document sources",
  concurrency: 2,
  hasPrivateErrors: true,
  timeoutMs: 12 * HOUR,
  retry: { attempts: 3, backoffMs: [30 * SECOND, 5 * MINUTE] },
  keepMs: HOUR,
  run: (context) => syncSource(context),
  onChange(tx, { input }, change) {
    const source = findSource(tx, input.sourceId);
    if (!source) return;
    if (change.state === "queued" && change.error !== null)
      updateSourceRow(tx, source.id, { lastSync: failure(change.error) });
    if (change.state === "failed") recordFailure(tx, source, change.error);
    if (change.state === "succeeded" || change.state === "failed" || change.state === "cancelled")
      scheduleNext(tx, source);
  },
});

function recordFailure(tx: Parameters<typeof updateSourceRow>[0], source: SourceRow, error: string): void {
  const { id, orgId, name, createdBy } = source;
  updateSourceRow(tx, id, { lastSync: failure(error) });
  notify(tx, {
    event: "ingestion.failed",
    organisationId: orgId,
    audience: { permission: "sources.manage", userIds: [createdBy] },
    title: `${name} couldn't be synced`,
    body: error,
    link: sourceAddress(id),
    // Limits them to one a day.
    dedupeKey: `${id}:${Math.floor(now() / DAY)}`,
    isPrivate: true,
  });
}

const retargetJobKind = defineJob({
  ...retargetJob,
  title: "Apply who sees a document source",
  hasPrivateErrors: true,
  mustFinish: true,
  timeoutMs: HOUR,
  retry: { attempts: 3, backoffMs: [SECOND, 30 * SECOND] },
  keepMs: HOUR,
  async run({ input, signal, actor: currentActor }) {
    const actor = currentActor();
    authorise(actor, "sources.manage");
    const source = findSource(db(), input.sourceId);
    if (source?.isRetargeted) await retarget(source, actor, signal);
  },
});

/** A fallback: each sync is queued by itself when the one before has ended. */
const dueSourcesJob = defineJob({
  kind: "sources.due",
  title: "Queue document sources whose sync is due",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: MINUTE,
  keepMs: HOUR,
  schedule: { everyMs: HOUR, atStart: true, input: {} },
  run() {
    for (const source of listDueSources(db(), now()))
      transaction((tx) => {
        if (!findActive(tx, syncJob, source.id)) planSync(tx, source);
      });
  },
});

export const sourceJobs: readonly JobKind[] = [syncJobKind, retargetJobKind, dueSourcesJob];

/** Shows the progress of syncs on open screens. @returns a stop function */
export const followSyncs = (): (() => void) =>
  onJobChanged(({ kind, orgId }) => {
    if (kind === syncJob.kind && orgId !== null) knowledgeChanged({ orgId });
  });
