import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { approvalPath, readApprovalToken } from "./approval-token.server";
import { engine } from "./engine/local-engine.server";
import { isOpenState } from "./engine/run-states.server";
import { findRun, findRunFor, findStepRow, listStepRows } from "./runs.repo.server";
import type { ApprovalLink, ApprovalLinkInput } from "./runs.schema";
import { findWorkflowById } from "./workflows.repo.server";

const EXPIRED = "This link has expired. Ask the sender for a new one, or answer on the run's page.";
const INVALID = "This link is not valid. Copy the whole address from the message.";
const CLOSED = "This question is no longer waiting for an answer.";

function findTarget(token: string) {
  const read = readApprovalToken(token);
  if (!read) return { problem: INVALID };
  const run = findRun(db(), read.runId);
  const row = findStepRow(db(), read.runId, read.key);
  const workflow = run && findWorkflowById(db(), run.workflowId);
  if (!run || !row || !workflow || row.startedAt !== read.startedAt) return { problem: EXPIRED };
  return { problem: null, run, row, workflowName: workflow.name, ...read };
}

/** The question, its answer, or why the link doesn't work. */
export function readApproval(token: string) {
  const target = findTarget(token);
  if (target.problem !== null) return target;
  const { run, row, workflowName, recipient, expiresAt } = target;
  const output = row.output as { approved: boolean; by: string | null };
  const answer =
    row.state === "succeeded" ? { approved: output.approved, by: output.by ?? "the time limit" } : null;
  if (!answer && now() >= expiresAt) return { problem: EXPIRED };
  if (!answer && (!isOpenState(run.state) || row.state !== "waiting")) return { problem: CLOSED };
  const { question, details = "" } = row.input as { question: string; details?: string };
  const shown = { workflowName, runId: run.id, question, details, recipient, expiresAt: isoTime(expiresAt) };
  return { problem: null, question: shown, answer };
}

/** Audited as the link's recipient. @throws AppError `gone` for an invalid link, `conflict` if answered */
export function answerByLink(
  token: string,
  approved: boolean,
  from: Pick<Actor, "address" | "requestId">,
): void {
  const target = findTarget(token);
  if (target.problem !== null) throw new AppError("gone", target.problem);
  const { run, row, workflowName, recipient, expiresAt } = target;
  if (now() >= expiresAt) throw new AppError("gone", EXPIRED);
  const goOn = transaction((tx) => {
    const answered = engine().answer(tx, run.id, row.key, { approved, by: recipient });
    if (!answered) throw new AppError("conflict", CLOSED);
    append(
      tx,
      { kind: "link", userId: recipient, orgId: run.orgId, ...from },
      {
        action: approved ? "workflow.link_approved" : "workflow.link_refused",
        resource: `run:${run.id}`,
        details: { workflowName, step: row.key, recipient },
      },
    );
    return answered;
  });
  goOn();
}

/** By step key, for a member to share; empty without the permission. */
export function approvalLinks(actor: Actor, runId: string, origin: string): Record<string, string> {
  const run = findRunFor(db(), actor.orgId, runId);
  if (!run || !isOpenState(run.state) || !may(actor, "workflows.write")) return {};
  const sender = `a guest of ${nameOf(actor.orgId, actor.userId)}`;
  return Object.fromEntries(
    listStepRows(db(), runId)
      .filter(({ type, state }) => type === "approval" && state === "waiting")
      .map((row) => [row.key, `${origin}${approvalPath(row, sender)}`]),
  );
}

/** A link for a program to send; not stored. @throws AppError `not_found`, `conflict` unless the step waits */
export function createApprovalLink(
  actor: Actor,
  runId: string,
  { step, recipient }: ApprovalLinkInput,
  origin: string,
): ApprovalLink {
  authorise(actor, "workflows.write");
  return transaction((tx) => {
    const run = findRunFor(tx, actor.orgId, runId);
    if (!run) throw new AppError("not_found", "Run not found. It may have been deleted.");
    const row = findStepRow(tx, runId, step);
    if (!isOpenState(run.state) || row?.type !== "approval" || row.state !== "waiting")
      throw new AppError("conflict", "This step doesn't wait for an answer.");
    const { workflowName } = run;
    append(tx, actor, {
      action: "workflow.link_created",
      resource: `run:${runId}`,
      details: { workflowName, step, recipient },
    });
    const path = approvalPath(row, recipient);
    const expiresAt = readApprovalToken(path.split("/").at(-1) ?? "")?.expiresAt ?? now();
    return { link: `${origin}${path}`, recipient, expiresAt: isoTime(expiresAt) };
  });
}
