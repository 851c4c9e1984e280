import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readLastEntry } from "~/platform/audit/audit.repo.server";
import { append } from "~/platform/audit/audit.service.server";
import { TRAIL_FAULTS, type TrailFault } from "~/platform/audit/audit.shared";
import { findTrailFault, replaceHead } from "~/platform/audit/verify.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";

export interface TrailProblem {
  code: TrailFault;
  message: string;
  canAccept: boolean;
}

export function isTrailIntact(): boolean {
  return findTrailFault() === undefined;
}

export function readTrailProblem(actor: Actor): TrailProblem | undefined {
  const code = may(actor, "audit.all") ? findTrailFault() : undefined;
  return code && { code, message: TRAIL_FAULTS[code], canAccept: may(actor, "safeguards.disable") };
}

/**
 * Accepts the trail as complete, such as after a restore, and records it. Altered entries stay broken.
 * @throws AppError `forbidden`; `conflict` without a fault
 */
export async function acceptTrail(actor: Actor): Promise<void> {
  authorise(actor, "safeguards.disable");
  transaction((tx) => {
    const reason = findTrailFault();
    if (!reason) throw new AppError("conflict", "The audit trail is complete. There is nothing to accept.");
    append(tx, actor, {
      action: "audit.accepted",
      resource: "audit",
      details: { reason, entries: readLastEntry(tx)?.seq ?? 0 },
    });
  });
  await replaceHead();
}
