import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { parseEgressAllow, recordedCalls, setOwnerAllow } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findOrganisationId } from "~/platform/settings/settings.repo.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { EgressAllow, type EgressCallEntry, type EgressEntry } from "./egress.schema";

const findAllow = (orgId: string): EgressAllow =>
  EgressAllow.catch({ allow: [] }).parse(findOrgRecord(db(), orgId, "egress"));

export function listEgressCalls(actor: Actor): EgressCallEntry[] {
  authorise(actor, "egress.manage");
  return recordedCalls().map((call) => ({ ...call, at: new Date(call.at).toISOString() }));
}

/** In addition to EGRESS_ALLOW. */
export function readEgressAllow(actor: Actor): EgressAllow {
  authorise(actor, "egress.manage");
  return findAllow(actor.orgId);
}

/** Applies to new connections. @throws AppError `forbidden`; `invalid` for a malformed or never allowed entry */
export function saveEgressAllow(actor: Actor, input: EgressAllow): EgressAllow {
  authorise(actor, "egress.manage");
  const allow = [...new Set(input.allow)];
  try {
    parseEgressAllow(allow, "");
  } catch (cause) {
    const message =
      cause instanceof Error ? cause.message : "The list has invalid entries. Correct the marked lines.";
    throw new AppError("invalid", message, { fields: { allow: [message] }, cause });
  }
  transaction((tx) => {
    const before = findAllow(actor.orgId);
    if (JSON.stringify(before.allow) === JSON.stringify(allow)) return;
    saveOrgRecord(tx, actor.orgId, "egress", { allow });
    append(tx, actor, {
      action: "egress.updated",
      resource: "settings:egress",
      ...changesOf({}, before, { allow }),
    });
  });
  setOwnerAllow(allow);
  return { allow };
}

/** @throws AppError as `saveEgressAllow` */
export function allowEgress(actor: Actor, { entry }: EgressEntry): EgressEntry {
  const { allow } = readEgressAllow(actor);
  saveEgressAllow(actor, { allow: [...allow, entry] });
  return { entry };
}

/** @throws AppError `forbidden` */
export function disallowEgress(actor: Actor, { entry }: EgressEntry): EgressEntry {
  const { allow } = readEgressAllow(actor);
  saveEgressAllow(actor, { allow: allow.filter((one) => one !== entry) });
  return { entry };
}

export function applyEgressAllow(): void {
  const orgId = findOrganisationId(db());
  const { allow } = orgId === undefined ? { allow: [] } : findAllow(orgId);
  try {
    setOwnerAllow(allow);
  } catch (error) {
    // Stored by a newer version: allow nothing.
    setOwnerAllow([]);
    log.error("the owner's egress list is not valid and is ignored", { error });
  }
}
