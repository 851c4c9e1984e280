import { z } from "zod";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { enqueue } from "../jobs/enqueue.service.server";
import { defineJob } from "../jobs/job-kind.service.server";
import { deriveConsent } from "./consent/derive-consent.server";
import { EMBEDDER_TOPICS } from "./embedding/choose-embedder.server";
import { listIndexedOrgs } from "./indexed-documents.repo.server";
import { onWakeIndexes, wakeIndexes } from "./indexing/attention.server";
import { distrustAll, runBuilder } from "./indexing/builder.server";

const HOUR = 60 * 60_000;

/** Whether the job runs, and whether something came up meanwhile. */
const state = { running: false, again: false };

export const maintainIndexesJob = defineJob({
  kind: "indexes.maintain",
  title: "Build, check and clean up search indexes",
  input: z.object({}),
  lane: "bulk",
  concurrency: 1,
  // A slow embedder and many documents take days.
  timeoutMs: 7 * 24 * HOUR,
  keepMs: HOUR,
  async run({ signal }) {
    state.running = true;
    try {
      let next: number | undefined;
      do {
        state.again = false;
        next = await runBuilder(signal);
      } while (state.again && !signal.aborted);
      if (next !== undefined) queueMaintenance(next);
    } finally {
      state.running = false;
    }
  },
});

function queueMaintenance(runAt: number): void {
  const isLater = runAt > now();
  const dedupeKey = isLater ? "later" : "now";
  try {
    transaction((tx) => enqueue(tx, maintainIndexesJob, {}, { dedupeKey, ...(isLater ? { runAt } : {}) }), {
      durable: false,
    });
  } catch (error) {
    // The next wake, or the next start, queues it.
    log.error("the maintenance of indexes could not be queued", { error });
  }
}

/** Has indexes maintained when something about them or their settings changes. @returns the way to stop */
export function watchIndexes(): () => void {
  for (const orgId of listIndexedOrgs(db())) deriveConsent(orgId);
  distrustAll();
  let soon: NodeJS.Immediate | undefined;
  let laterAt = 0;
  const leaveWakes = onWakeIndexes((delayMs) => {
    if (delayMs > 0) {
      // Writing words wakes many times a second; one later look is enough.
      if (laterAt > now()) return;
      laterAt = now() + delayMs;
      setImmediate(queueMaintenance, laterAt);
      return;
    }
    if (state.running) state.again = true;
    // Behind the transaction that wakes.
    else
      soon ??= setImmediate(() => {
        soon = undefined;
        queueMaintenance(0);
      });
  });
  const leaveConfig = onConfigChanged(EMBEDDER_TOPICS, () => wakeIndexes());
  wakeIndexes();
  return () => {
    leaveWakes();
    leaveConfig();
    clearImmediate(soon);
  };
}
