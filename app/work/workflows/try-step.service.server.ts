import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log as processLog } from "~/core/log.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { addUsage } from "./engine/journal.server";
import { boundInput } from "./engine/outputs.server";
import { messageOf } from "./engine/run-ends.server";
import type { LogEntry, TriedStep, TryStepInput } from "./runs.schema";
import { makeStepServices } from "./step-services.server";
import { findStepType } from "./steps/index.server";
import { fillConfig } from "./steps/step-config";
import type { Json, StepType } from "./steps/step-type";
import { findWorkflowRow } from "./workflows.repo.server";

/** In ms, as a user waits. */
const TIMEOUT = 60_000;
const MAX_LOG_ENTRIES = 200;

function requireType(type: string): StepType {
  const stepType = findStepType(type);
  if (!stepType) throw new AppError("invalid", `Unknown step type "${type}".`);
  return stepType;
}

function nameOfWorkflow(actor: Actor, id: string | undefined): string {
  if (id === undefined) return "a new workflow";
  const row = findWorkflowRow(db(), actor.orgId, id);
  if (!row) throw new AppError("not_found", "Workflow not found. It may have been deleted.");
  return row.name;
}

/**
 * Runs one step with sample input and the user's rights, outside any run. Control steps such as Delay only describe
 * their effect.
 * @returns the result, or the step's failure
 * @throws AppError `invalid` for an unknown type
 */
export async function tryStep(
  actor: Actor,
  { step: input, workflowId, trigger, steps, item, index }: TryStepInput,
  signal: AbortSignal,
): Promise<TriedStep> {
  authorise(actor, "workflows.write");
  const type = requireType(input.type);
  const step = { ...input, id: input.id ?? input.type, config: input.config ?? {} };
  const workflowName = nameOfWorkflow(actor, workflowId);
  const runId = newId("try");
  const startedAt = now();
  const tried: TriedStep = {
    ok: false,
    input: null,
    output: null,
    branch: null,
    error: null,
    log: [],
    tookMs: 0,
    inputTokens: null,
    outputTokens: null,
    costMicros: null,
  };
  let config: unknown;
  try {
    config = fillConfig(type, step, {
      trigger: (trigger ?? {}) as Json,
      steps: steps as Record<string, Json>,
      run: { id: runId, startedAt: new Date(startedAt).toISOString() },
      workflow: { id: workflowId ?? "", name: workflowName },
      item: (item ?? null) as Json,
      index: index ?? null,
    });
  } catch (error) {
    if (error instanceof AppError) return { ...tried, error: error.message };
    throw error;
  }
  transaction((tx) =>
    append(tx, actor, {
      action: "workflow.step_tried",
      resource: `workflow:${workflowId ?? "new"}`,
      details: { workflowName, step: type.label },
    }),
  );
  const timeoutMs = Math.min((step.options?.timeoutSeconds ?? type.timeoutMs / 1000) * 1000, TIMEOUT);
  const timeoutError = new AppError("provider_timeout", `It took longer than ${timeoutMs / 1000} s.`);
  const entries: LogEntry[] = [];
  const started = performance.now();
  const outcome = await withDeadline({ ms: timeoutMs, timeoutError, signal }, runAlone).catch((error) => {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof AppError)) processLog.error("a tried step failed unexpectedly", { error });
    return { error: messageOf(error) };
  });
  return {
    ...tried,
    ...outcome,
    input: boundInput(config),
    log: entries,
    tookMs: Math.round(performance.now() - started),
  };

  function log(level: LogEntry["level"], message: string) {
    if (entries.length < MAX_LOG_ENTRIES) entries.push({ at: now(), level, message: clip(message, 2000) });
  }

  async function runAlone(attempt: AbortSignal) {
    if (type.control) {
      const control = showControl(type.control, actor, config, (message) => log("info", message));
      return { ok: true, output: boundInput(control), branch: null };
    }
    if (!type.run) throw new Error(`The step type ${type.type} has nothing to run.`);
    const { output, branch } = await type.run({
      config,
      actor,
      runId,
      stepId: step.id,
      idempotencyKey: `${runId}:${step.id}`,
      attempt: 1,
      signal: attempt,
      services: makeStepServices({
        actor,
        workflowId: workflowId ?? "new",
        runId,
        stepId: step.id,
        signal: attempt,
        timeoutMs,
        onUsage(usage) {
          Object.assign(tried, addUsage(tried, usage));
        },
      }),
      log,
    });
    return { ok: true, output: boundInput(output), branch: branch ?? null };
  }
}

type Log = (message: string) => void;
type Show = (actor: Actor, config: never, log: Log) => Json;

/** Items named in the log. */
const MAX_LOGGED_ITEMS = 20;
const MAX_CHARACTERS = 200;

function showDelay(_actor: Actor, { seconds }: { seconds: number }, log: Log): Json {
  const until = new Date(now() + seconds * 1000).toISOString();
  log(`Waits until ${until} in a run`);
  return { seconds, until };
}

function showApproval(
  _actor: Actor,
  { question, details, sendTo, timeoutHours }: Record<string, unknown> & { sendTo: string[] },
  log: Log,
): Json {
  log(`Asks: ${String(question)}`);
  for (const recipient of sendTo) log(`Emails a link to ${recipient} in a run. Nothing was sent.`);
  return {
    question: String(question),
    details: String(details),
    sendTo,
    timeoutHours: (timeoutHours as number | undefined) ?? null,
  };
}

function showEach(_actor: Actor, { items }: { items: Json[] }, log: Log): Json {
  for (const [index, item] of items.slice(0, MAX_LOGGED_ITEMS).entries())
    log(`Item ${index}: ${clip(JSON.stringify(item), MAX_CHARACTERS)}`);
  if (items.length > MAX_LOGGED_ITEMS) log(`${items.length - MAX_LOGGED_ITEMS} more items`);
  return { items, count: items.length };
}

function showCall(
  actor: Actor,
  { workflow: id, payload }: { workflow: string; payload: Json },
  log: Log,
): Json {
  const row = findWorkflowRow(db(), actor.orgId, id);
  if (!row) throw new AppError("not_found", "Workflow not found. It may have been deleted.");
  if (!row.enabled)
    throw new AppError("conflict", `The workflow "${row.name}" is disabled. Enable it first.`);
  log(`Runs "${row.name}" with this payload in a run. Nothing was run.`);
  return { workflow: row.name, payload };
}

const SHOWN: Record<NonNullable<StepType["control"]>, Show> = {
  delay: showDelay,
  approval: showApproval,
  each: showEach,
  call: showCall,
};

/** Describes a control step's effect without any. @throws AppError as a run would */
export const showControl = (
  kind: NonNullable<StepType["control"]>,
  actor: Actor,
  config: unknown,
  log: Log,
): Json => SHOWN[kind](actor, config as never, log);
