import { z } from "zod";
import { yieldToEventLoop } from "~/core/background.server";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { deletePeriodsBefore } from "./ledger.repo.server";

const RETENTION_MS = 365 * DAY;
const BATCH = 500;

export async function prunePeriods(): Promise<number> {
  const before = new Date(oldestKept(RETENTION_MS)).toISOString().slice(0, 10);
  for (let total = 0; ; await yieldToEventLoop()) {
    const deleted = transaction((tx) => deletePeriodsBefore(tx, before, BATCH));
    total += deleted;
    if (deleted < BATCH) return total;
  }
}

const pruneBudgetPeriodsJob = defineJob({
  kind: "budgets.prune",
  title: "Delete old periods of budgets",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: 60_000,
  schedule: { cron: "40 3 * * *", input: {} },
  run: async () => void (await prunePeriods()),
});

export const budgetJobs: readonly JobKind[] = [pruneBudgetPeriodsJob];
