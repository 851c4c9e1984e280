import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { readTrailProblem } from "~/features/audit/trail.service.server";
import { authorise } from "~/features/members/authorisation.server";

export interface SystemFacts {
  node: string;
  sqlite: string;
  dataDir: string;
  databaseBytes: number;
  memoryBytes: number;
  /** What is wrong with the audit trail's end; undefined where it is as noted. */
  auditProblem: string | undefined;
}

/** What the console runs on. */
export function readSystem(actor: Actor): SystemFacts {
  authorise(actor, "settings.manage");
  const raw = rawDatabase();
  const pages = Number(raw.pragma("page_count", { simple: true }));
  const pageSize = Number(raw.pragma("page_size", { simple: true }));
  return {
    node: process.versions.node,
    sqlite: String(raw.prepare("select sqlite_version()").pluck().get()),
    dataDir: dataDir(),
    databaseBytes: pages * pageSize,
    memoryBytes: process.memoryUsage().rss,
    auditProblem: readTrailProblem(actor)?.message,
  };
}
