import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log as processLog } from "~/core/log.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { messageOf } from "./engine/failures.server";
import { fillConfig } from "./engine/fill-config";
import { addUsage } from "./engine/journal.server";
import { boundInput } from "./engine/outputs.server";
import { requireCallable, requireWorkflow } from "./require-workflow.server";
import type { TriedStep, TryStepInput } from "./runs.schema";
import { makeStepServices } from "./step-services.server";
import { findStepType } from "./steps/index.server";
import type { Json, LogLevel, StepType } from "./steps/step-type";

/** In ms, as a user waits. */
const TIMEOUT = 60_000;
const MAX_LOG_ENTRIES = 200;

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
  const type = findStepType(input.type);
  if (!type) throw new AppError("invalid", `Unknown step type "${input.type}".`);
  const step = { ...input, id: input.id ?? input.type, config: input.config ?? {} };
  const workflowName =
    workflowId === undefined ? "a new workflow" : requireWorkflow(db(), actor.orgId, workflowId).name;
  const runId = newId("try");
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
      run: { id: runId, startedAt: isoTime(now()) },
      workflow: { id: workflowId ?? "", name: workflowName },
      item: (item ?? null) as Json,
      index: index ?? null,
    });
  } catch (error) {
    if (error instanceof AppError) return { ...tried, error: error.message };
    throw error;
  }
  tried.input = boundInput(config);
  transaction((tx) =>
    append(tx, actor, {
      action: "workflow.step_tried",
      resource: `workflow:${workflowId ?? "new"}`,
      details: { workflowName, step: type.label },
    }),
  );
  const log: Log = (level, message) => {
    if (tried.log.length < MAX_LOG_ENTRIES)
      tried.log.push({ at: now(), level, message: clip(message, 2000) });
  };
  const ms = Math.min((step.options?.timeoutSeconds ?? type.timeoutMs / 1000) * 1000, TIMEOUT);
  const timeoutError = () => new AppError("provider_timeout", `It took longer than ${ms / 1000} s.`);
  const started = performance.now();
  try {
    const { output, branch } = await withDeadline({ ms, timeoutError, signal }, async (attempt) => {
      if (type.control) return { output: showControl(type.control, actor, config, log) };
      if (!type.run) throw new Error(`The step type ${type.type} has nothing to run.`);
      const part = { actor, runId, stepId: step.id, signal: attempt };
      return await type.run({
        ...part,
        config,
        idempotencyKey: `${runId}:${step.id}`,
        attempt: 1,
        services: makeStepServices({
          ...part,
          workflowId: workflowId ?? "new",
          timeoutMs: ms,
          onUsage: (usage) => void Object.assign(tried, addUsage(tried, usage)),
        }),
        log,
      });
    });
    Object.assign(tried, { ok: true, output: boundInput(output), branch: branch ?? null });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof AppError)) processLog.error("a tried step failed unexpectedly", { error });
    tried.error = messageOf(error);
  }
  return { ...tried, tookMs: Math.round(performance.now() - started) };
}

type Log = (level: LogLevel, message: string) => void;

/** Items named in the log. */
const MAX_LOGGED_ITEMS = 20;
const MAX_CHARACTERS = 200;

/** What the configurations of control steps have, each its own part. */
interface ControlConfig {
  seconds: number;
  question: string;
  details: string;
  sendTo: string[];
  timeoutHours?: number;
  items: Json[];
  workflow: string;
  payload: Json;
}

/** Describes a control step's effect without any. @throws AppError as a run would */
function showControl(
  control: NonNullable<StepType["control"]>,
  actor: Actor,
  parsed: unknown,
  log: Log,
): Json {
  const config = parsed as ControlConfig;
  switch (control) {
    case "delay": {
      const { seconds } = config;
      const until = isoTime(now() + seconds * 1000);
      log("info", `Waits until ${until} in a run`);
      return { seconds, until };
    }
    case "approval": {
      const { question, details, sendTo, timeoutHours = null } = config;
      log("info", `Asks: ${question}`);
      for (const recipient of sendTo)
        log("info", `Emails a link to ${recipient} in a run. Nothing was sent.`);
      return { question, details, sendTo, timeoutHours };
    }
    case "each": {
      const { items } = config;
      for (const [index, item] of items.slice(0, MAX_LOGGED_ITEMS).entries())
        log("info", `Item ${index}: ${clip(JSON.stringify(item), MAX_CHARACTERS)}`);
      if (items.length > MAX_LOGGED_ITEMS) log("info", `${items.length - MAX_LOGGED_ITEMS} more items`);
      return { items, count: items.length };
    }
    case "call": {
      const { name } = requireCallable(actor.orgId, config.workflow);
      log("info", `Runs "${name}" with this payload in a run. Nothing was run.`);
      return { workflow: name, payload: config.payload };
    }
  }
}
