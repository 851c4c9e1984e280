import { now } from "~/core/clock.server";
import { publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { approvalPath } from "../approval-token.server";
import type { RunStepRow } from "../runs.repo.server";
import type { LogEntry } from "../runs.schema";
import type { StepServices } from "../steps/step-type";

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
    const link = new URL(approvalPath(row, recipient), publicUrl()).href;
    const body = [question, details, `Approve or refuse:\n${link}`, "The link works once. Don't forward it."];
    try {
      await mailer.sendEmail({
        to: [recipient],
        subject: question.replace(/\s+/g, " "),
        body: body.filter(Boolean).join("\n\n"),
        messageId: `${row.runId}:${row.key}:${recipient}`,
      });
      entries.push({ at: now(), level: "info", message: `Emailed to ${recipient}` });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      entries.push({
        at: now(),
        level: "warn",
        message: `The email to ${recipient} was not sent: ${error.message}`,
      });
    }
  }
  return entries;
}
