import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readLastEntry } from "~/platform/audit/audit.repo.server";
import { append } from "~/platform/audit/audit.service.server";
import { findTrailFault, replaceHead } from "~/platform/audit/audit-head.server";
import { readChainStart } from "~/platform/audit/checkpoint.server";
import { TRAIL_FAULTS, type TrailFault } from "~/platform/audit/trail.shared";
import { authorise, may } from "~/platform/rights/authorization.server";
import type { AnchorTargets } from "./anchor.schema";
import { addAnchor, findAnchorFault, readAnchorTargets } from "./anchor.server";

export interface TrailProblem {
  code: TrailFault;
  message: string;
  canAccept: boolean;
}

export function isTrailIntact(): boolean {
  return findTrailFault() === undefined;
}

function findFault(): TrailFault | undefined {
  const start = readChainStart(db());
  return findTrailFault() ?? findAnchorFault(start === "damaged" ? 0 : start.seq)?.fault;
}

export function readTrailProblem(actor: Actor): TrailProblem | undefined {
  const code = may(actor, "audit.all") ? findFault() : undefined;
  return code && { code, message: TRAIL_FAULTS[code], canAccept: may(actor, "safeguards.disable") };
}

export function listAnchorTargets(actor: Actor): AnchorTargets {
  authorise(actor, "safeguards.disable");
  return readAnchorTargets(actor.orgId);
}

/**
 * Anchors the newest entry now.
 * @throws AppError `forbidden`; `conflict` without destinations or with a fault
 */
export async function anchorNow(actor: Actor): Promise<AnchorTargets> {
  const { file, destinations } = listAnchorTargets(actor);
  if (!file && destinations.length === 0)
    throw new AppError(
      "conflict",
      "Anchors have no destination. Enter an anchor email or webhook under Settings › Advanced › Security.",
    );
  if (findFault())
    throw new AppError("conflict", "The audit trail may be incomplete. Verify and accept it first.");
  transaction((tx) =>
    append(tx, actor, {
      action: "audit.anchored",
      resource: "audit",
      details: { destinations: [...(file ? ["file"] : []), ...destinations] },
    }),
  );
  return addAnchor();
}

/**
 * Accepts the trail as complete, such as after a restore, and records it. Altered entries stay broken.
 * @throws AppError `forbidden`; `conflict` without a fault
 */
export async function acceptTrail(actor: Actor): Promise<void> {
  authorise(actor, "safeguards.disable");
  transaction((tx) => {
    const reason = findFault();
    if (!reason) throw new AppError("conflict", "The audit trail is complete. There is nothing to accept.");
    append(tx, actor, {
      action: "audit.accepted",
      resource: "audit",
      details: { reason, entries: readLastEntry(tx)?.seq ?? 0 },
    });
  });
  await replaceHead();
  await addAnchor({ restart: true });
}
