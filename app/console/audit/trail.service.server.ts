import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { findEntryAt, readLastEntry } from "~/platform/audit/audit.repo.server";
import type { TrailCheck } from "~/platform/audit/audit.schema";
import { append } from "~/platform/audit/audit.service.server";
import { TRAIL_FAULTS, type TrailFault } from "~/platform/audit/audit.shared";
import { findTrailFault, replaceHead } from "~/platform/audit/audit-head.server";
import { toEntry } from "~/platform/audit/chain.server";
import { verifyChain } from "~/platform/audit/verify.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { notifyFault } from "~/team/notifications/notify.service.server";
import { withSentence } from "./sentences.service.server";

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

export async function checkTrail(actor: Actor): Promise<TrailCheck> {
  authorise(actor, "audit.all");
  const { brokenAt, droppedUpTo = 0, entries, fault } = await verifyChain();
  const row = brokenAt === undefined ? undefined : findEntryAt(db(), brokenAt);
  transaction((tx) =>
    append(tx, actor, {
      action: "audit.verified",
      resource: "audit",
      details: { entries, ...(fault ? { fault } : {}), ...(brokenAt === undefined ? {} : { brokenAt }) },
    }),
  );
  if (brokenAt !== undefined) notifyFault("entries", `Entry ${brokenAt} was changed or is missing.`);
  else if (fault) notifyFault(fault, TRAIL_FAULTS[fault]);
  return {
    entries,
    droppedUpTo,
    brokenAt: brokenAt ?? null,
    fault: fault ? TRAIL_FAULTS[fault] : null,
    // Don't expose another organization's entry.
    broken: row?.orgId === actor.orgId ? withSentence(toEntry(row)) : null,
  };
}
