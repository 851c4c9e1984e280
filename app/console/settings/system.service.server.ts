import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readTrailProblem } from "~/console/audit/trail.service.server";
import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installedVersion } from "~/team/backups/maintenance.service.server";

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

/** In bytes. A compaction reclaims `freeBytes`. */
export async function readStorageSizes() {
  const raw = rawDatabase();
  const pragma = (name: string) => Number(raw.pragma(name, { simple: true }));
  const pageSize = pragma("page_size");
  const { bavail, blocks, bsize } = await statfs(dataDir());
  return {
    databaseBytes: pragma("page_count") * pageSize,
    freeBytes: pragma("freelist_count") * pageSize,
    logBytes: await sizeOf(`${raw.name}-wal`),
    diskBytes: blocks * bsize,
    diskFreeBytes: bavail * bsize,
  };
}

export async function readSystem(actor: Actor) {
  authorise(actor, "settings.manage");
  return {
    ...(await readStorageSizes()),
    version: installedVersion() ?? "",
    node: process.versions.node,
    sqlite: String(rawDatabase().prepare("select sqlite_version()").pluck().get()),
    dataDir: dataDir(),
    workspaceBytes: await sizeOf(join(dataDir(), "workspace.db")),
    memoryBytes: process.memoryUsage().rss,
    // Undefined if intact.
    auditProblem: readTrailProblem(actor)?.message,
  };
}
