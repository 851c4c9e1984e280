import { stat, statfs } from "node:fs/promises";
import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { countJobsByState } from "~/platform/jobs/jobs.service.server";
import { countRuns } from "~/work/workflows/runs.service.server";

/** Read on each scrape. */
export interface GaugeFigures {
  jobs: { kind: string; state: string; count: number }[];
  runs: Record<"queued" | "running" | "waiting", number>;
  databaseBytes: number;
  freeBytes: number;
  logBytes: number;
  diskFreeBytes: number;
}

export async function readGauges({ orgId }: Pick<Actor, "orgId">): Promise<GaugeFigures> {
  const raw = rawDatabase();
  const pragma = (name: string) => Number(raw.pragma(name, { simple: true }));
  const pageSize = pragma("page_size");
  const { bavail, bsize } = await statfs(dataDir());
  return {
    jobs: countJobsByState(orgId),
    runs: countRuns({ kind: "system", userId: "system", orgId, role: "owner" }),
    databaseBytes: pragma("page_count") * pageSize,
    freeBytes: pragma("freelist_count") * pageSize,
    logBytes: (await stat(`${raw.name}-wal`).catch(() => undefined))?.size ?? 0,
    diskFreeBytes: bavail * bsize,
  };
}
