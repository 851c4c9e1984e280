import type { Db } from "~/core/db.server";
import { notify } from "~/features/notifications/notify.service.server";
import type { RunRow, RunStepRow } from "../runs.repo.server";
import { findWorkflowById } from "../workflows.repo.server";

/** The people a run concerns: the member it runs for, and the one who pressed Run. */
function audienceOf(tx: Db, run: RunRow) {
  const workflow = findWorkflowById(tx, run.workflowId);
  const people = [workflow?.runsAs, run.startedBy].filter((id) => id != null);
  return {
    name: workflow?.name ?? "A workflow",
    audience: { permission: "workflows.write", userIds: [...new Set(people)] },
  } as const;
}

const linkTo = ({ id }: RunRow) => `/workflows/runs/${id}`;

/** Notifies of a failure. A child's is its parent's, which fails with it. */
export function notifyFailedRun(tx: Db, run: RunRow, error: string | undefined, failedAt: number): void {
  if (run.parentRunId !== null) return;
  const { name, audience } = audienceOf(tx, run);
  notify(tx, {
    event: "run.failed",
    organisationId: run.orgId,
    audience,
    title: `${name} failed`,
    ...(error ? { body: error } : {}),
    link: linkTo(run),
    // A retry that fails is another event.
    dedupeKey: `${run.id}:${failedAt}`,
  });
}

/** Notifies that a run waits for an answer; once for each start of the step. */
export function notifyApproval(tx: Db, run: RunRow, row: RunStepRow): void {
  const { name, audience } = audienceOf(tx, run);
  const { question, details } = (row.input ?? {}) as { question?: string; details?: string };
  notify(tx, {
    event: "approval.waiting",
    organisationId: run.orgId,
    audience,
    title: `${name} waits for an answer`,
    body: [question ?? "A step was interrupted. Choose whether to repeat it.", details]
      .filter(Boolean)
      .join("\n"),
    link: linkTo(run),
    dedupeKey: `${run.id}:${row.key}:${row.startedAt}`,
  });
}
