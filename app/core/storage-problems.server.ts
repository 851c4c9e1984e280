import { describeFullDisk } from "./disk-space.server";
import { dataDir } from "./env.server";
import { findDamage, isStorageFull } from "./storage-faults.server";

const WORKSPACE = "workspace.db";

export interface StorageProblem {
  code: "database_damaged" | "workspace_damaged" | "disk_full";
  title: string;
  message: string;
}

const RESTORE = "An owner can restore a backup under Settings › System.";

export function findStorageProblems(): StorageProblem[] {
  const problems: StorageProblem[] = [];
  const database = findDamage();
  if (database !== undefined)
    problems.push({
      code: "database_damaged",
      title: "The database is damaged",
      message: `${RESTORE} Until then, some pages fail and new work may be lost. SQLite reports: ${database}`,
    });
  const workspace = findDamage(WORKSPACE);
  if (workspace !== undefined)
    problems.push({
      code: "workspace_damaged",
      title: "The workspace database is damaged",
      message: `${RESTORE} Until then, workflow steps that use it fail. SQLite reports: ${workspace}`,
    });
  if (isStorageFull())
    problems.push({
      code: "disk_full",
      title: "The disk is full",
      message: `${describeFullDisk(dataDir())} New work is refused. Free some space, for example by deleting backups or documents.`,
    });
  return problems;
}
