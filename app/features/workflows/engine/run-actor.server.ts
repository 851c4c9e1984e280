import type { Actor } from "~/core/actor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { may } from "~/features/members/authorisation.server";
import { roleOf } from "~/features/members/member.service.server";
import type { WorkflowRow } from "../workflows.repo.server";

/** Why a workflow's automatic triggers wait: the member with whose rights it runs. */
export const PAUSED = "The member it runs for has left, is suspended or can no longer run workflows.";

/** Whether the member that a workflow runs for may still run it. */
export function canRun(tx: Db, { orgId, runsAs }: Pick<WorkflowRow, "orgId" | "runsAs">): boolean {
  const role = roleOf(tx, orgId, runsAs);
  return role !== undefined && may({ role }, "workflows.write");
}

/**
 * The actor of a workflow's runs: the member who saved or took it over, with the role they have now.
 *
 * @throws AppError `forbidden` where they may not run it any more
 */
export function runActor({ orgId, runsAs }: Pick<WorkflowRow, "orgId" | "runsAs">): Actor {
  const role = roleOf(db(), orgId, runsAs);
  if (!role || !may({ role }, "workflows.write"))
    throw new AppError("forbidden", `${PAUSED} Take the workflow over.`);
  return { kind: "workflow", userId: runsAs, orgId, role };
}
