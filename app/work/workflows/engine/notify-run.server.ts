import type { Db } from "~/core/db.server";
import { markEventNotificationsRead, notify } from "~/team/notifications/notify.service.server";
import { countFailedRuns, type RunRow, type RunStepRow } from "../runs.repo.server";
import { findWorkflowById } from "../workflows.repo.server";

/** Notification interval per workflow (ms). */
const FAILURE_WINDOW = 3_600_000;

function audienceOf(tx: Db, run: RunRow) {
  const workflow = findWorkflowById(tx, run.workflowId);
  const people = [workflow?.runsAs, run.startedBy].filter((id) => id != null);
  return {
    name: workflow?.name ?? "A workflow",
    audience: { permission: "workflows.write", userIds: [...new Set(people)] },
  } as const;
}

const linkTo = ({ id }: RunRow) => `/workflows/runs/${id}`;

/** Not for children, whose parents fail too. */
export function notifyFailedRun(tx: Db, run: RunRow, error: string | undefined, failedAt: number): void {
  if (run.parentRunId !== null) return;
  const { name, audience } = audienceOf(tx, run);
  const times = countFailedRuns(tx, run.workflowId, failedAt - FAILURE_WINDOW);
  notify(tx, {
    event: "run.failed",
    organisationId: run.orgId,
    audience,
    title: times > 1 ? `${name} failed ${times} times in an hour` : `${name} failed`,
    ...(error ? { body: error } : {}),
    link: linkTo(run),
    // A failed retry is a new event.
    dedupeKey: `${run.workflowId}:${run.id}:${failedAt}`,
    throttle: { subject: run.workflowId, ms: FAILURE_WINDOW },
  });
}

const approvalKey = ({ runId, key, startedAt }: RunStepRow) => `${runId}:${key}:${startedAt}`;

/** Marks a question's notifications as read. */
export function markApprovalRead(tx: Db, run: RunRow, row: RunStepRow): void {
  markEventNotificationsRead(tx, {
    event: "approval.waiting",
    organisationId: run.orgId,
    audience: audienceOf(tx, run).audience,
    dedupeKey: approvalKey(row),
  });
}

/** Once per start of the step. */
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
    dedupeKey: approvalKey(row),
  });
}
