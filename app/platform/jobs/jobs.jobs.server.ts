import { z } from "zod";
import { db, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { registeredKinds } from "./dispatcher.service.server";
import { defineJob, type JobKind } from "./job-kind.service.server";
import { deleteExcessJobs, deleteOldFires, deleteOldJobs } from "./jobs.repo.server";
import { FIRES_KEPT, oldestKept } from "./schedules.service.server";

/** Per transaction: 500 take about 7 ms. */
const BATCH = 500;
/** Finished jobs kept per kind and outcome. */
const MAX_KEPT = 1000;
const FINISHED = ["succeeded", "failed", "cancelled"] as const;

const sweepJobs = defineJob({
  kind: "jobs.sweep",
  title: "Delete finished jobs",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: HOUR,
  keepMs: HOUR,
  schedule: { everyMs: HOUR, atStart: true, input: {} },
  async run({ signal }) {
    const inBatches = async (sweep: () => number) => {
      while (!signal.aborted && transaction(sweep) === BATCH) await new Promise(setImmediate);
    };
    await inBatches(() => deleteOldJobs(db(), oldestKept(0), BATCH));
    for (const kind of registeredKinds().keys())
      for (const state of FINISHED)
        await inBatches(() => deleteExcessJobs(db(), { kind, state, keep: MAX_KEPT, limit: BATCH }));
    await inBatches(() => deleteOldFires(db(), oldestKept(FIRES_KEPT), BATCH));
  },
});

export const queueJobs: readonly JobKind[] = [sweepJobs];
