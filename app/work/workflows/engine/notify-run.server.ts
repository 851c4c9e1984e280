import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { publicAddress } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { markEventNotificationsRead, notify } from "~/team/notifications/notify.service.server";
import { approvalPath } from "../approval-token.server";
import { countFailedRuns, type RunRow, type RunStepRow } from "../runs.repo.server";
import type { LogEntry } from "../runs.schema";
import type { StepServices } from "../steps/step-type";
import { findWorkflowById } from "../workflows.repo.server";

/** Notification interval per workflow (ms). */
const FAILURE_WINDOW = HOUR;

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

/** Sends individual links; failures are only logged in the step. @returns log entries @throws the signal's reason */
export async function sendQuestion(
  mailer: Pick<StepServices, "sendEmail">,
  row: RunStepRow,
  recipients: readonly string[],
  signal: AbortSignal,
): Promise<LogEntry[]> {
  const { question, details } = row.input as { question: string; details?: string };
  const entries: LogEntry[] = [];
  for (const recipient of recipients) {
    const link = publicAddress(approvalPath(row, recipient));
    const body = [question, details, `Approve or refuse:\n${link}`, "The link works once. Don't forward it."];
    try {
      await mailer.sendEmail({
        to: [recipient],
        subject: question.replace(/\s+/g, " "),
        body: body.filter(Boolean).join("\n\n"),
        // A retry asks anew, with another link.
        messageId: `${row.runId}:${row.key}:${row.startedAt}:${recipient}`,
      });
      entries.push({ at: now(), level: "info", message: `Emailed to ${recipient}` });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      const message = `The email to ${recipient} was not sent: ${error.message}`;
      entries.push({ at: now(), level: "warn", message });
    }
  }
  return entries;
}
