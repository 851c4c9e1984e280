import { z } from "zod";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { readReplica } from "~/core/replica.server";
import { explainStorageFault, findDamage, isDiskFull, readUnlessDamaged } from "~/core/storage-faults.server";
import { readFileCopies } from "~/platform/files/files.service.server";
import { areSchedulesRight, queueDelay } from "~/platform/jobs/jobs.service.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { isStandby } from "~/team/backups/standby.service.server";
import { vectorServerState } from "~/work/index/rag-status.service.server";

/** Minimum free space in bytes. */
const MIN_FREE_BYTES = 50_000_000;
/** Delay after which a due time counts as missed, in ms; the dispatcher checks every minute. */
const LATE = 150_000;

const Check = z.enum(["ok", "failed"]);
export const Readiness = z.object({
  ready: z.boolean(),
  checks: z.object({
    database: Check,
    disk: Check,
    queues: Check,
    schedules: Check,
    standby: z.literal("held").optional().describe("A standby that nobody has taken over isn't ready"),
    replica: z
      .enum(["ok", "degraded"])
      .optional()
      .describe("`degraded`: Litestream is behind or doesn't answer; the console is ready all the same"),
    files: z
      .enum(["ok", "degraded"])
      .optional()
      .describe("`degraded`: files wait for their second place; the console is ready all the same"),
    vectors: z
      .enum(["ok", "degraded"])
      .optional()
      .describe("`degraded`: Qdrant doesn't answer, and keywords do; the console is ready all the same"),
  }),
});
export type Readiness = z.infer<typeof Readiness>;

async function passes(check: () => boolean | Promise<boolean>): Promise<"ok" | "failed"> {
  try {
    return (await check()) ? "ok" : "failed";
  } catch (error) {
    explainStorageFault(error);
    return "failed";
  }
}

/** Names only the failing check, since the endpoint is public. */
export async function readReadiness(): Promise<Readiness> {
  const replica = await readReplica();
  const isHeld = isStandby();
  const files = isHeld ? undefined : readUnlessDamaged(readFileCopies, undefined);
  const orgId = installationOrgId();
  const vectors =
    orgId === undefined ? undefined : readUnlessDamaged(() => vectorServerState(orgId), undefined);
  const checks = {
    database: await passes(
      () => rawDatabase().prepare("SELECT 1").pluck().get() === 1 && findDamage() === undefined,
    ),
    disk: await passes(() => !isDiskFull(dataDir(), MIN_FREE_BYTES)),
    queues: await passes(() => isHeld || (queueDelay()?.jobs ?? LATE) < LATE),
    schedules: await passes(
      () => isHeld || ((queueDelay()?.schedules ?? LATE) < LATE && areSchedulesRight()),
    ),
  };
  return {
    ready: !isHeld && Object.values(checks).every((check) => check === "ok"),
    checks: {
      ...checks,
      ...(isHeld ? { standby: "held" as const } : {}),
      ...(vectors ? { vectors: vectors.isWell ? ("ok" as const) : ("degraded" as const) } : {}),
      ...(files ? { files: files.state === "ok" ? ("ok" as const) : ("degraded" as const) } : {}),
      ...(replica ? { replica: replica.state === "ok" ? ("ok" as const) : ("degraded" as const) } : {}),
    },
  };
}
