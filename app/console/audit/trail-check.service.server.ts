import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { findEntryAt } from "~/platform/audit/audit.repo.server";
import type { TrailCheck } from "~/platform/audit/audit.schema";
import { append } from "~/platform/audit/audit.service.server";
import { TRAIL_FAULTS } from "~/platform/audit/audit.shared";
import { toEntry } from "~/platform/audit/chain.server";
import { verifyChain } from "~/platform/audit/verify.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { notifyFault } from "~/team/notifications/notify.service.server";
import { withSentence } from "./sentences.service.server";

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
