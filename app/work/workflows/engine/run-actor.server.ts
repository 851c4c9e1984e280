import type { Actor } from "~/core/actor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.repo.server";
import type { RunRow } from "../runs.repo.server";
import type { WorkflowRow } from "../workflows.repo.server";

export const PAUSED = "The member it runs for has left, is suspended or can no longer run workflows.";

/** Whether the workflow's member may still run it. */
export function canRun(tx: Db, { orgId, runsAs }: Pick<WorkflowRow, "orgId" | "runsAs">): boolean {
  const role = roleOf(tx, orgId, runsAs);
  return role !== undefined && may({ role }, "workflows.write");
}

/** The API token that starts a run, with its limits. */
export const runTokenOf = ({ tokenId, gateway }: Actor): RunRow["token"] =>
  tokenId === undefined ? null : { id: tokenId, models: gateway?.models ?? null };

const limitsOf = (token: RunRow["token"] | undefined) =>
  token ? { tokenId: token.id, gateway: { models: token.models, requestsPerMinute: null } } : {};

/**
 * With the member's current role, and the limits of the token that started the run.
 * @throws AppError `forbidden` if they may no longer run it
 */
export function runActor(
  { orgId, runsAs }: Pick<WorkflowRow, "orgId" | "runsAs">,
  run?: Pick<RunRow, "token">,
): Actor {
  const role = roleOf(db(), orgId, runsAs);
  if (!role || !may({ role }, "workflows.write"))
    throw new AppError("forbidden", `${PAUSED} Take the workflow over.`);
  return { kind: "workflow", userId: runsAs, orgId, role, ...limitsOf(run?.token) };
}
