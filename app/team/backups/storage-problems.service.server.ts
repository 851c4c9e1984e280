import type { Actor } from "~/core/actor";
import { findStorageProblems, type StorageProblem } from "~/core/storage-faults.server";
import { may } from "~/platform/rights/authorization.server";

/** A full disk and damaged databases, for admins and owners; nothing for others. */
export function readStorageProblems(actor: Actor): StorageProblem[] {
  return may(actor, "settings.manage") ? findStorageProblems() : [];
}
