import { z } from "zod";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type Db, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { enqueue } from "~/features/jobs/enqueue.service.server";
import { defineJob } from "~/features/jobs/job-kind.service.server";
import { EMBEDDER_TOPICS } from "./embedding/choose-embedder.server";
import { distrustAll, runBuilder } from "./generations/builder.server";
import { onWakeIndexes, wakeIndexes } from "./generations/dirty-indexes.server";

const HOUR = 60 * 60_000;

const state: { running: boolean; again: boolean; next: number | undefined; later: number | undefined } = {
  running: false,
  again: false,
  next: undefined,
  later: undefined,
};
/** Delay after a permanent failure (ms). */
const FAILED_PAUSE = 5 * 60_000;

export const maintainIndexesJob = defineJob({
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
      state.again = false;
      state.next = await runBuilder(signal);
    } while (state.again && !signal.aborted);
  },
  onChange(tx, _job, change) {
    state.running = change.state === "running";
    if (state.running) return;
    const { again, next, later } = state;
    state.again = false;
    state.next = undefined;
    state.later = undefined;
    if (change.state === "queued") return;
    if (change.state !== "succeeded") queueMaintenance(tx, now() + FAILED_PAUSE);
    else if (again) queueMaintenance(tx);
    for (const runAt of [next, later]) if (runAt !== undefined) queueMaintenance(tx, runAt);
  },
});

/** Deduplicated; the earlier time wins. */
function queueMaintenance(tx: Db, runAt?: number): void {
  enqueue(tx, maintainIndexesJob, {}, { dedupeKey: "all", ...(runAt === undefined ? {} : { runAt }) });
}

function queueNow(runAt?: number): void {
  try {
    transaction((tx) => queueMaintenance(tx, runAt), { durable: false });
  } catch (error) {
    // The next wake or start queues it.
    log.error("could not queue index maintenance", { error });
  }
}

/** Schedules maintenance after changes. @returns a stop function */
export function watchIndexes(): () => void {
  distrustAll();
  let soon: NodeJS.Immediate | undefined;
  let laterAt = 0;
  const leaveWakes = onWakeIndexes((delayMs) => {
    if (delayMs > 0) {
      // Indexing wakes many times a second; one later check is enough.
      if (laterAt > now()) return;
      laterAt = now() + delayMs;
      if (state.running) {
        state.later ??= laterAt;
        return;
      }
      setImmediate(queueNow, laterAt);
      return;
    }
    if (state.running) state.again = true;
    // After the waking transaction.
    else
      soon ??= setImmediate(() => {
        soon = undefined;
        queueNow();
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
