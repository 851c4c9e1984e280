import type { Ownership } from "~/platform/catalogue/ownership";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import type { SourceRow } from "./sources.repo.server";
import * as repo from "./sources.repo.server";
import { planSync, stopSync } from "./sources.service.server";

function ownership(visibility: SourceRow["visibility"]): Pick<Ownership, "permission" | "count" | "apply"> {
  return {
    permission: "sources.manage",
    count: (tx, owner) => repo.countOwnedSources(tx, { ...owner, visibility }),
    apply(tx, owner, { recipient }, limit, after) {
      const rows = repo.listOwnedSources(tx, { ...owner, visibility }, limit);
      for (const row of rows) {
        const stopped = stopSync(tx, row.id);
        if (stopped) after.push(() => abortJob(stopped));
        if (recipient === undefined) repo.deleteSourceRow(tx, row.id);
        else {
          repo.updateSourceRow(tx, row.id, { createdBy: recipient });
          planSync(tx, { ...row, createdBy: recipient }, row.nextAt ?? undefined);
        }
      }
      if (rows.length > 0) after.push(() => knowledgeChanged({ orgId: owner.orgId }));
      return rows.length;
    },
  };
}

const HINT =
  "Transfer to an admin, who then syncs them, or delete them. Their documents are decided on by themselves.";

export const ownedSources: Ownership = {
  ...ownership("organisation"),
  kind: "sources",
  noun: "document sources",
  label: "Document sources visible to everyone",
  hint: HINT,
  isPrivate: false,
};

export const ownedRestrictedSources: Ownership = {
  ...ownership("named"),
  kind: "restrictedSources",
  noun: "restricted document sources",
  label: "Document sources visible to specific people",
  hint: HINT,
  isPrivate: true,
};
