import { z } from "zod";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type Db, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { log } from "~/core/log.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { EMBEDDER_TOPICS } from "./embedding/choose-embedder.server";
import { markAllForCheck, runBuilder } from "./generations/builder.server";
import { clearAllBackoff, onWakeIndexes, wakeIndexes } from "./generations/pending-work.server";
import { onQdrantBack } from "./stores/qdrant-client.server";

let isRunning = false;
let isRequestedAgain = false;
let nextAt: number | undefined;
let wakeAt: number | undefined;
/** Delay after a permanent failure (ms). */
const FAILED_PAUSE = 5 * 60_000;

const maintainIndexesJob = defineJob({
  kind: "indexes.maintain",
  title: "Build, check and clean up search indexes",
  input: z.object({}),
  lane: "bulk",
  concurrency: 1,
  timeoutMs: 7 * 24 * HOUR,
  retry: { attempts: 5, backoffMs: [1000, 10_000, 60_000, 5 * 60_000] },
  keepMs: HOUR,
  async run({ signal }) {
    do {
      isRequestedAgain = false;
      nextAt = await runBuilder(signal);
    } while (isRequestedAgain && !signal.aborted);
  },
  onChange(tx, _job, change) {
    isRunning = change.state === "running";
    if (isRunning) return;
    const [isRequested, ...times] = [isRequestedAgain, nextAt, wakeAt] as const;
    isRequestedAgain = false;
    nextAt = undefined;
    wakeAt = undefined;
    if (change.state === "queued") return;
    if (change.state !== "succeeded") queueMaintenance(tx, now() + FAILED_PAUSE);
    else if (isRequested) queueMaintenance(tx);
    for (const runAt of times) if (runAt !== undefined) queueMaintenance(tx, runAt);
  },
});

export const indexJobs: readonly JobKind[] = [maintainIndexesJob];

/** Deduplicated; the earlier time wins. */
function queueMaintenance(tx: Db, runAt?: number): void {
  enqueue(tx, maintainIndexesJob, {}, { dedupeKey: "all", ...(runAt === undefined ? {} : { runAt }) });
}

function queueNow(runAt?: number): void {
  try {
    transaction((tx) => queueMaintenance(tx, runAt), { durable: false });
  } catch (error) {
    // The next wake or start queues it.
    log.error("failed to queue index maintenance", { error });
  }
}

/** Schedules maintenance after changes. @returns a stop function */
export function watchIndexes(): () => void {
  markAllForCheck();
  let queued: NodeJS.Immediate | undefined;
  let laterAt = 0;
  const stopWakes = onWakeIndexes((delayMs) => {
    if (delayMs > 0) {
      // Indexing wakes many times a second; one later check is enough.
      if (laterAt > now()) return;
      laterAt = now() + delayMs;
      if (isRunning) {
        wakeAt ??= laterAt;
        return;
      }
      setImmediate(queueNow, laterAt);
      return;
    }
    if (isRunning) isRequestedAgain = true;
    // Waits for the end of the transaction that wakes it.
    else
      queued ??= setImmediate(() => {
        queued = undefined;
        queueNow();
      });
  });
  const stopConfig = onConfigChanged(EMBEDDER_TOPICS, () => wakeIndexes());
  const stopServer = onQdrantBack(() => {
    // What failed meanwhile needn't wait for its next attempt.
    clearAllBackoff();
    wakeIndexes();
  });
  wakeIndexes();
  return () => {
    stopWakes();
    stopConfig();
    stopServer();
    clearImmediate(queued);
  };
}
