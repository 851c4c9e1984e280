import type { Actor } from "~/core/actor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import type { RunRow } from "../runs.repo.server";
import type { WorkflowRow } from "../workflows.repo.server";

export const PAUSED = "The member it runs for has left, is suspended or can no longer run workflows.";

type RunsAs = Pick<WorkflowRow, "orgId" | "runsAs">;

/** The role of the workflow's member now; undefined if they may no longer run it. */
function runRole(tx: Db, { orgId, runsAs }: RunsAs) {
  const role = roleOf(tx, orgId, runsAs);
  return role && may({ role }, "workflows.write") ? role : undefined;
}

export const canRun = (tx: Db, workflow: RunsAs): boolean => runRole(tx, workflow) !== undefined;

export const DISABLED = "The workflow is disabled. Enable it first.";
const TAKE_OVER = `${PAUSED} Take the workflow over.`;

/** Why no run of it may begin; undefined if one may. */
export function runRefusal(workflow: RunsAs & Pick<WorkflowRow, "enabled">): string | undefined {
  if (!workflow.enabled) return DISABLED;
  return canRun(db(), workflow) ? undefined : TAKE_OVER;
}

/** @throws AppError `conflict` */
export function assertRunnable(workflow: Parameters<typeof runRefusal>[0]): void {
  const refusal = runRefusal(workflow);
  if (refusal) throw new AppError("conflict", refusal);
}

/** A disabled one can be tried. @throws AppError `conflict` */
export function assertNotPaused(workflow: RunsAs): void {
  if (!canRun(db(), workflow)) throw new AppError("conflict", TAKE_OVER);
}

/** The API token that starts a run, with its limits. */
export const runTokenOf = ({ tokenId, gateway }: Actor): RunRow["token"] =>
  tokenId === undefined
    ? null
    : { id: tokenId, models: gateway?.models ?? null, guardrails: gateway?.guardrails ?? null };

/**
 * With the current role of its caller, or of the workflow's member, and the limits of the token that started the run.
 * @throws AppError `forbidden` if they may no longer run it
 */
export function runActor(workflow: RunsAs, run?: Pick<RunRow, "token" | "runsAs">): Actor {
  const { orgId } = workflow;
  const runsAs = run?.runsAs ?? workflow.runsAs;
  const role = runRole(db(), { orgId, runsAs });
  if (!role) throw new AppError("forbidden", TAKE_OVER);
  const token = run?.token;
  const limits = token
    ? {
        tokenId: token.id,
        gateway: { models: token.models, requestsPerMinute: null, guardrails: token.guardrails },
      }
    : {};
  return { kind: "workflow", userId: runsAs, orgId, role, ...limits };
}
