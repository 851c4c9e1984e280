import { now } from "~/core/clock.server";
import type { Ownership } from "~/features/offboarding/ownership.service.server";
import { knowledgeChanged } from "../changes.server";
import {
  changeCreator,
  countOwnedDocuments,
  hideDocuments,
  listOwnedDocuments,
} from "../documents-for-jobs.repo.server";
import { stopWork } from "../jobs/work.service.server";

function ownership(visibility: "organisation" | "named"): Pick<Ownership, "count" | "apply" | "permission"> {
  return {
    permission: "documents.write",
    count: (tx, owner) => countOwnedDocuments(tx, { ...owner, visibility }),
    apply(tx, owner, { recipient }, limit, after) {
      const ids = listOwnedDocuments(tx, { ...owner, visibility }, limit);
      if (ids.length === 0) return 0;
      if (recipient === undefined) {
        hideDocuments(tx, ids, now());
        after.push(...ids.map((id) => stopWork(tx, id)));
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
  hint: "The recipient gets access and decides who else has it. You can't choose yourself.",
  isPrivate: true,
};
