import type { Actor } from "~/core/actor";
import { describeFullDisk } from "~/core/disk-space.server";
import { dataDir } from "~/core/env.server";
import { findDamage, isStorageFull } from "~/core/storage-faults.server";
import { may } from "~/features/members/authorisation.server";
import { WORKSPACE } from "./archive-names";

export { readUnlessDamaged } from "~/core/storage-faults.server";

export interface StorageProblem {
  code: "database_damaged" | "workspace_damaged" | "disk_full";
  title: string;
  message: string;
}

const RESTORE = "An owner can restore a backup under Settings › System.";

function findProblems(): StorageProblem[] {
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

export function isStorageIntact(): boolean {
  return findDamage() === undefined && findDamage(WORKSPACE) === undefined && !isStorageFull();
}

/** For admins and owners; nothing for others. */
export function readStorageProblems(actor: Actor): StorageProblem[] {
  return may(actor, "settings.manage") ? findProblems() : [];
}
