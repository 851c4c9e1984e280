import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { findAcceptedRun, insertRun, recordRunKeys } from "../runs.repo.server";
import type { WorkflowRow } from "../workflows.repo.server";

/** Records why a trigger started no run, once per key. @returns false if it is recorded already */
export function skipRun(
  tx: Db,
  { id: workflowId, orgId, version }: Pick<WorkflowRow, "id" | "orgId" | "version">,
  { triggerId, triggerType }: { triggerId: string; triggerType: string },
  key: string,
  reason: string,
): boolean {
  if (findAcceptedRun(tx, workflowId, [key])) return false;
  const id = newId("run");
  const at = now();
  insertRun(tx, {
    id,
    orgId,
    workflowId,
    version,
    state: "skipped",
    triggerId,
    triggerType,
    payload: {},
    error: reason,
    createdAt: at,
    finishedAt: at,
  });
  recordRunKeys(tx, [key], { workflowId, runId: id, createdAt: at });
  return true;
}
