import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { Ownership } from "~/platform/catalogue/ownership";
import { isGroup, listGroupNames } from "~/team/members/groups.service.server";
import { isMember } from "~/team/members/member.service.server";
import { listColleagues } from "~/team/members/member-names.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import {
  changeCreator,
  countOwnedDocuments,
  hideDocuments,
  listOwnedDocuments,
} from "../document-rows.repo.server";
import type { Reader } from "../documents.schema";
import { stopJobs } from "../jobs/document-jobs.server";

export function listPossibleReaders(actor: Actor): Reader[] {
  return [
    ...listGroupNames(actor).map((group) => ({ ...group, kind: "group" as const })),
    ...listColleagues(actor).map((person) => ({ ...person, kind: "member" as const })),
  ];
}

/** @throws AppError `invalid` for an unknown member or group */
export function requireReaders(actor: Actor, ids: readonly string[]): string[] {
  const requested = [...new Set(ids)];
  if (requested.length === 0) return [];
  const possible = new Set(listPossibleReaders(actor).map(({ id }) => id));
  if (requested.every((id) => possible.has(id))) return requested;
  const message = "Choose members and groups of this organization only";
  throw new AppError("invalid", `${message}.`, { fields: { readers: [message] } });
}

export const canBeReader = (tx: Db, orgId: string, id: string): boolean =>
  isMember(tx, orgId, id) || isGroup(tx, orgId, id);

function ownership(visibility: "organisation" | "named"): Pick<Ownership, "count" | "apply" | "permission"> {
  return {
    permission: "documents.write",
    count: (tx, owner) => countOwnedDocuments(tx, { ...owner, visibility }),
    apply(tx, owner, { recipient }, limit, after) {
      const ids = listOwnedDocuments(tx, { ...owner, visibility }, limit);
      if (ids.length === 0) return 0;
      if (recipient === undefined) {
        hideDocuments(tx, ids, now());
        after.push(...ids.map((id) => stopJobs(tx, owner.orgId, id)));
      } else changeCreator(tx, ids, recipient);
      after.push(() => knowledgeChanged({ orgId: owner.orgId }));
      return ids.length;
    },
  };
}

export const ownedDocuments: Ownership = {
  ...ownership("organisation"),
  kind: "documents",
  noun: "documents",
  label: "Documents visible to everyone",
  isPrivate: false,
};

export const ownedRestrictedDocuments: Ownership = {
  ...ownership("named"),
  kind: "restrictedDocuments",
  noun: "restricted documents",
  label: "Documents visible to specific people",
  hint: "Transfer to a member other than yourself, or delete. The recipient gets access and decides who else has it.",
  isPrivate: true,
};
