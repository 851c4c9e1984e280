import { z } from "zod";
import { addRunFiles, prepareResultFile, toResultFile } from "~/ai/tools/files/result-files.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "~/core/durations";
import { AppError } from "~/core/errors";
import { derivedId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { notify } from "~/team/notifications/notify.service.server";
import { engine } from "../engine/local-engine.server";
import { canRun, PAUSED, runActor } from "../engine/run-actor.server";
import { definitionOf, requireWorkflow } from "../require-workflow.server";
import { countRunsOf } from "../runs.repo.server";
import { email, feed } from "../triggers/polled.triggers.server";
import {
  deletePolls,
  findPoll,
  findWorkflowById,
  listDuePolls,
  listPollRows,
  type PollRow,
  putPoll,
  updatePoll,
  updateWorkflowRow,
  type WorkflowRow,
} from "../workflows.repo.server";
import type { Poll, WorkflowDefinition, WorkflowTrigger } from "../workflows.schema";
import type { PollContext, Polled } from "./inbound.server";
import { pollFeed } from "./poll-feed.server";
import { pollMail } from "./poll-mail.server";

/** Looks at the source of a polled trigger. */
export const pollJob = declareJob({
  kind: "workflows.poll",
  input: z.object({ workflowId: z.string(), triggerId: z.string() }),
  lane: "bulk",
});

/** Runs that a trigger starts in an hour, and at a check; more wait for the next check. */
const MAX_PER_HOUR = 60;
const MAX_AT_ONCE = 20;
/** Failed checks in a row before a notification; a source that fails once has often recovered by the next check. */
const FAILURES_BEFORE_NOTICE = 3;
/** Longest pause after failures, unless the interval is longer. */
const MAX_BACKOFF = DAY;

interface Source {
  /** Another one starts over. */
  source: string;
  everyMs: number;
  poll(state: unknown, context: PollContext): AsyncGenerator<Polled>;
}

/** Undefined for other triggers, and for a configuration of another version. */
function sourceOf({ type, config: stored }: WorkflowTrigger): Source | undefined {
  if (type === feed.type) {
    const config = feed.config.safeParse(stored).data;
    if (!config) return undefined;
    const { url: source, everyMinutes } = config;
    return { source, everyMs: everyMinutes * MINUTE, poll: (...context) => pollFeed(config, ...context) };
  }
  if (type === email.type) {
    const config = email.config.safeParse(stored).data;
    if (!config) return undefined;
    const { host, port, user, folder, everyMinutes } = config;
    const source = JSON.stringify([host, port, user, folder]);
    return { source, everyMs: everyMinutes * MINUTE, poll: (...context) => pollMail(config, ...context) };
  }
  return undefined;
}

type PollKey = Pick<PollRow, "workflowId" | "triggerId">;

const plan = (tx: Db, { workflowId, triggerId }: PollKey, runAt: number) =>
  enqueue(
    tx,
    pollJob,
    { workflowId, triggerId },
    { dedupeKey: `${workflowId}:${triggerId}`, subject: `workflow:${workflowId}`, runAt },
  );

/** Adds and removes checks by the definition; a disabled workflow has none, and starts over once it is enabled. */
export function syncPolls(tx: Db, workflow: WorkflowRow, { triggers }: WorkflowDefinition): void {
  const { id: workflowId, enabled } = workflow;
  const polled = enabled
    ? triggers.flatMap((trigger) => {
        const source = sourceOf(trigger);
        return source ? [{ triggerId: trigger.id, ...source }] : [];
      })
    : [];
  deletePolls(
    tx,
    workflowId,
    polled.map(({ triggerId }) => triggerId),
  );
  for (const { triggerId, source, everyMs } of polled) {
    const row = findPoll(tx, workflowId, triggerId);
    // A change may be what a source that couldn't be checked needs, such as another key.
    const goesOn = row?.source === source && row.error === null;
    const nextAt = goesOn ? Math.min(row.nextAt, now() + everyMs) : now();
    if (row?.source === source) updatePoll(tx, row, { nextAt });
    else
      putPoll(tx, {
        workflowId,
        triggerId,
        source,
        state: null,
        nextAt,
        checkedAt: null,
        failedAt: null,
        failures: 0,
        error: null,
      });
    plan(tx, { workflowId, triggerId }, nextAt);
  }
}

/** A fallback: each check is queued by itself when the one before has ended. */
export function planDuePolls(): void {
  transaction((tx) => {
    for (const row of listDuePolls(tx, now(), 500)) plan(tx, row, row.nextAt);
  });
}

export function planNext(tx: Db, { workflowId, triggerId }: PollKey): void {
  const row = findPoll(tx, workflowId, triggerId);
  if (row) plan(tx, row, Math.max(row.nextAt, now() + SECOND));
}

/** After a failure the pauses grow. */
function recordFailure(
  tx: Db,
  row: PollRow,
  everyMs: number,
  error: { message: string; retryAfter?: number | undefined },
): void {
  const failures = row.failures + 1;
  const pause = Math.min(everyMs * 2 ** Math.min(failures, 16), Math.max(everyMs, MAX_BACKOFF));
  const asked = Math.min((error.retryAfter ?? 0) * SECOND, 7 * DAY);
  const failedAt = now();
  const nextAt = failedAt + Math.max(pause, asked);
  updatePoll(tx, row, { failures, error: error.message, failedAt, nextAt });
  if (failures === FAILURES_BEFORE_NOTICE) notifyFailing(tx, row, error.message, failedAt);
}

/** Nothing starts until the source answers again. Once in a row of failures. */
function notifyFailing(tx: Db, { workflowId, triggerId }: PollKey, body: string, failedAt: number): void {
  const workflow = findWorkflowById(tx, workflowId);
  if (!workflow) return;
  const { orgId, name, runsAs } = workflow;
  notify(tx, {
    event: "run.failed",
    organisationId: orgId,
    audience: { permission: "workflows.write", userIds: [runsAs] },
    title: `A trigger of ${name} failed ${FAILURES_BEFORE_NOTICE} checks in a row`,
    body,
    link: `/workflows/${workflowId}`,
    // Runs that fail replace notices under their workflow's id.
    dedupeKey: `poll:${workflowId}:${triggerId}:${failedAt}`,
  });
}

/** Records that a check's job failed, such as after its time limit. */
export function recordPollFault(tx: Db, key: PollKey, message: string): void {
  const row = findPoll(tx, key.workflowId, key.triggerId);
  if (row) recordFailure(tx, row, HOUR, { message });
}

interface Target {
  row: PollRow;
  workflow: WorkflowRow;
  source: Source;
  triggerType: string;
}

function findTarget({ workflowId, triggerId }: PollKey): Target | undefined {
  const row = findPoll(db(), workflowId, triggerId);
  const workflow = row && findWorkflowById(db(), workflowId);
  if (!row || !workflow?.enabled) return undefined;
  const { triggers } = definitionOf(workflowId, workflow.version);
  const trigger = triggers.find(({ id }) => id === triggerId);
  const source = trigger && sourceOf(trigger);
  return source && { row, workflow, source, triggerType: trigger.type };
}

/** Starts what is new at the source. A failure is recorded and shown beside the trigger. */
export async function checkSource(key: PollKey, signal: AbortSignal): Promise<void> {
  const target = findTarget(key);
  if (!target || target.row.nextAt > now()) return;
  const { row, workflow, source } = target;
  if (!canRun(db(), workflow)) {
    transaction((tx) => {
      updateWorkflowRow(tx, workflow.id, { pausedReason: PAUSED });
      updatePoll(tx, row, { nextAt: now() + source.everyMs });
    });
    return;
  }
  try {
    await startFound(target, signal);
    const checkedAt = now();
    transaction((tx) =>
      updatePoll(tx, row, {
        checkedAt,
        failures: 0,
        error: null,
        failedAt: null,
        nextAt: checkedAt + source.everyMs,
      }),
    );
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    transaction((tx) => recordFailure(tx, row, source.everyMs, error));
  } finally {
    publish({ topic: "workflows", orgId: workflow.orgId });
  }
}

async function startFound({ row, workflow, source, triggerType }: Target, signal: AbortSignal) {
  const { workflowId, triggerId } = row;
  const { orgId } = workflow;
  const started = countRunsOf(db(), workflowId, triggerId, now() - HOUR);
  const limit = Math.min(MAX_AT_ONCE, MAX_PER_HOUR - started);
  if (limit <= 0) return;
  for await (const { start, state } of source.poll(row.state, { orgId, limit, signal })) {
    signal.throwIfAborted();
    // Someone has disabled the workflow or changed the trigger meanwhile.
    if (findPoll(db(), workflowId, triggerId)?.source !== row.source) return;
    if (start) {
      const prepared = await Promise.all(
        (start.files ?? []).map(({ name, type, bytes }) =>
          prepareResultFile(orgId, { name, type, bytes: Buffer.from(bytes) }),
        ),
      );
      const files = prepared.filter((file) => file !== undefined);
      await engine().accept(runActor(workflow), {
        workflowId,
        triggerId,
        triggerType,
        payload: {
          ...start.payload,
          ...(start.files && { files: files.map((file) => ({ ...toResultFile(file) })) }),
        },
        // Found again after a crash before its state was stored, it is the same run.
        idempotencyKeys: [`${triggerType}:${triggerId}:${start.key}`],
        runId: derivedId("run", workflowId, triggerId, start.key),
        whenAdded: (tx, runId) => addRunFiles(tx, runId, files),
      });
    }
    if (state !== undefined) transaction((tx) => updatePoll(tx, row, { state }));
  }
}

const isoOrNull = (at: number | null) => (at === null ? null : isoTime(at));

const toPoll = ({ triggerId, checkedAt, failedAt, nextAt, error, failures }: PollRow): Poll => ({
  triggerId,
  checkedAt: isoOrNull(checkedAt),
  failedAt: isoOrNull(failedAt),
  nextAt: isoTime(nextAt),
  error,
  failures,
});

/** How its feeds and mailboxes were looked at. */
export function listPolls(actor: Actor, workflowId: string): Poll[] {
  authorise(actor, "workflows.write");
  requireWorkflow(db(), actor.orgId, workflowId);
  return listPollRows(db(), workflowId).map(toPoll);
}

/** Looks at the source now. @throws AppError `not_found`, also while the workflow is disabled */
export function checkNow(actor: Actor, workflowId: string, triggerId: string): Poll {
  authorise(actor, "workflows.write");
  return transaction((tx) => {
    const { name } = requireWorkflow(tx, actor.orgId, workflowId);
    const row = findPoll(tx, workflowId, triggerId);
    if (!row)
      throw new AppError("not_found", "This trigger isn't checked. Enable the workflow, or reload the page.");
    const nextAt = now();
    updatePoll(tx, row, { nextAt });
    plan(tx, row, nextAt);
    append(tx, actor, {
      action: "workflow.trigger_checked",
      resource: `workflow:${workflowId}`,
      details: { workflowName: name, trigger: triggerId },
    });
    return toPoll({ ...row, nextAt });
  });
}
