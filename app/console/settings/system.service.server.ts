import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readTrailProblem } from "~/console/audit/trail.service.server";
import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installedVersion } from "~/team/backups/maintenance.service.server";

export interface SystemFacts {
  version: string;
  node: string;
  sqlite: string;
  dataDir: string;
  databaseBytes: number;
  /** Reclaimed by a compaction. */
  freeBytes: number;
  logBytes: number;
  workspaceBytes: number;
  diskBytes: number;
  diskFreeBytes: number;
  memoryBytes: number;
  /** Undefined if intact. */
  auditProblem: string | undefined;
}

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

export async function readSystem(actor: Actor): Promise<SystemFacts> {
  authorise(actor, "settings.manage");
  const raw = rawDatabase();
  const pragma = (name: string) => Number(raw.pragma(name, { simple: true }));
  const pageSize = pragma("page_size");
  const { bavail, blocks, bsize } = await statfs(dataDir());
  return {
    version: installedVersion() ?? "",
    node: process.versions.node,
    sqlite: String(raw.prepare("select sqlite_version()").pluck().get()),
    dataDir: dataDir(),
    databaseBytes: pragma("page_count") * pageSize,
    freeBytes: pragma("freelist_count") * pageSize,
    logBytes: await sizeOf(`${raw.name}-wal`),
    workspaceBytes: await sizeOf(join(dataDir(), "workspace.db")),
    diskBytes: blocks * bsize,
    diskFreeBytes: bavail * bsize,
    memoryBytes: process.memoryUsage().rss,
    auditProblem: readTrailProblem(actor)?.message,
  };
}
