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
import { describeFailure, messageOf, StepFailure } from "./engine/failures.server";
import { fillConfig } from "./engine/fill-config";
import { toGraph, upstreamOf } from "./engine/graph";
import { boundInput } from "./engine/outputs.server";
import { type RunJournal, runDefinition } from "./engine/run-graph";
import { addUsage } from "./engine/step-rows.server";
import { requireCallable, requireWorkflow } from "./require-workflow.server";
import type { EarlierStep, TriedStep, TryStepInput } from "./runs.schema";
import type { Samples } from "./samples.service.server";
import { makeStepServices } from "./step-services.server";
import { requireBoolean } from "./steps/condition.step.server";
import { findStepType } from "./steps/index.server";
import type { Json, LogLevel, StepAt, StepResult, StepType } from "./steps/step-type";
import type { WorkflowDefinition } from "./workflows.schema";
import { isRoundKey } from "./workflows.shared";

/** In ms, as a user waits. */
const TIMEOUT = 60_000;
const MAX_LOG_ENTRIES = 200;

const NOTHING: TriedStep = {
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

/** The workflow that a try belongs to. */
interface TriedWorkflow {
  /** Empty if it isn't saved. */
  id: string;
  name: string;
}

function triedWorkflow({ orgId }: Actor, id: string | undefined): TriedWorkflow {
  if (id === undefined) return { id: "", name: "a new workflow" };
  return { id, name: requireWorkflow(db(), orgId, id).name };
}

interface Trial {
  actor: Actor;
  workflow: TriedWorkflow;
  runId: string;
  signal: AbortSignal;
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
  const type = findStepType(input.type);
  if (!type) throw new AppError("invalid", `Unknown step type "${input.type}".`);
  const step = { ...input, id: input.id ?? input.type, config: input.config ?? {} };
  const workflow = triedWorkflow(actor, workflowId);
  const runId = newId("try");
  const prepare = () =>
    fillConfig(type, step, {
      trigger: (trigger ?? {}) as Json,
      steps: steps as Record<string, Json>,
      run: { id: runId, startedAt: isoTime(now()) },
      workflow,
      // Unknown rather than null: a step that uses what only a loop knows would succeed with nothing.
      item,
      index,
    });
  return await runOnce({ actor, workflow, runId, signal }, type, { key: step.id, step }, prepare);
}

function explainLoopValue(message: string): string {
  const [, name] = /Unknown variable: (item|index|last)\b/.exec(message) ?? [];
  return name ? `"${name}" is known within a run of the loop alone. Use Run up to Here.` : message;
}

/** @param prepare resolves the configuration's expressions */
async function runOnce(
  { actor, workflow, runId, signal }: Trial,
  type: StepType,
  { key, step }: StepAt,
  prepare: () => unknown,
): Promise<TriedStep> {
  const tried: TriedStep = { ...NOTHING, log: [] };
  let config: unknown;
  try {
    config = prepare();
  } catch (error) {
    if (error instanceof AppError) return { ...tried, error: explainLoopValue(error.message) };
    throw error;
  }
  tried.input = boundInput(config);
  const workflowId = workflow.id || "new";
  transaction((tx) =>
    append(tx, actor, {
      action: "workflow.step_tried",
      resource: `workflow:${workflowId}`,
      details: { workflowName: workflow.name, step: type.label },
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
      if (type.control) return showControl(type.control, actor, config, log);
      if (!type.run) throw new Error(`The step type ${type.type} has nothing to run.`);
      const part = { actor, runId, stepId: step.id, signal: attempt };
      return await type.run({
        ...part,
        config,
        idempotencyKey: `${runId}:${key}`,
        attempt: 1,
        services: makeStepServices({
          ...part,
          workflowId,
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

/** Of a try up to a step, in ms, as a user waits. */
const TOTAL_TIMEOUT = 5 * 60_000;
/** Items or rounds for which a tried loop runs its steps. */
const MAX_TRIED_ITEMS = 3;

/** Ends a try at its step. */
class Reached extends Error {
  constructor(readonly result: TriedStep) {
    super("reached");
  }
}

/** A journal in memory: steps run once, pinned outputs take their place, and nothing waits. */
class TrialJournal implements RunJournal {
  readonly startedAt = now();
  readonly run: RunJournal["run"];
  readonly workflow: TriedWorkflow;
  /** In the order in which they ended. */
  readonly earlier: EarlierStep[] = [];

  constructor(
    private readonly trial: Trial,
    private readonly plan: { stepId: string; samples: Samples; payload: Json; triggerId: string },
  ) {
    const { payload, triggerId } = plan;
    this.run = { id: trial.runId, payload, triggerId };
    this.workflow = trial.workflow;
  }

  async #go(at: StepAt, prepare: () => unknown): Promise<StepResult> {
    const { step } = at;
    const isTarget = step.id === this.plan.stepId;
    const sample = this.plan.samples.steps[step.id];
    if (sample?.isPinned && !isTarget) {
      const { output, branch } = sample;
      this.earlier.push({ stepId: step.id, ok: true, isPinned: true });
      return { output, ...(branch === null ? {} : { branch }) };
    }
    this.trial.signal.throwIfAborted();
    const type = findStepType(step.type);
    if (!type) throw new AppError("invalid", `Unknown step type "${step.type}".`);
    const tried = await runOnce(this.trial, type, at, prepare);
    if (isTarget) throw new Reached(tried);
    this.earlier.push({ stepId: step.id, ok: tried.ok, isPinned: false });
    if (!tried.ok) throw new StepFailure(at, tried.error ?? "The step failed.");
    const { branch } = tried;
    return {
      output: tried.output as Json,
      ...(branch === null ? {} : { branch }),
      ...(step.type === "return" ? { returns: true } : {}),
    };
  }

  step: RunJournal["step"] = (at, _type, prepare) => this.#go(at, prepare);
  sleep: RunJournal["sleep"] = (at, prepare) => this.#go(at, prepare);
  waitFor: RunJournal["waitFor"] = async (at, prepare) => {
    const result = await this.#go(at, prepare);
    if (this.plan.samples.steps[at.step.id]?.isPinned) return result;
    return { output: { approved: true, by: null, comment: "Not asked in a try" }, branch: "approved" };
  };
  child: RunJournal["child"] = (at, prepare) => this.#go(at, prepare);

  /** Of a loop: its items or rounds, then its results. */
  record: RunJournal["record"] = ({ key, step }, prepare, resultOf) => {
    const result = resultOf(prepare());
    const { output } = result;
    if (!isRoundKey(key) && step.id === this.plan.stepId)
      throw new Reached({ ...NOTHING, ok: true, output: boundInput(output), branch: result.branch ?? null });
    if (key.endsWith(`[${MAX_TRIED_ITEMS}]`)) return { ...result, output: false };
    return key.endsWith("[]") && Array.isArray(output)
      ? { ...result, output: output.slice(0, MAX_TRIED_ITEMS) }
      : result;
  };
}

/**
 * Runs the steps before a step and then the step, as a run would: with the user's rights, without waiting, and with
 * pinned outputs in place of their steps. Loops take their first items or rounds, branches run one after the other, and
 * Ask a Person counts as approved.
 *
 * @param definition valid
 * @param payload the trigger's data
 * @returns the step's result with what ran before it; a failure before it is its failure
 */
export async function tryUpTo(
  actor: Actor,
  { definition, stepId, workflowId, payload, samples }: TryUpToInput,
  closed: AbortSignal,
): Promise<TriedStep & { earlier: EarlierStep[] }> {
  authorise(actor, "workflows.write");
  const workflow = triedWorkflow(actor, workflowId);
  const signal = AbortSignal.any([closed, AbortSignal.timeout(TOTAL_TIMEOUT)]);
  const triggerId = triggerBefore(definition, stepId);
  const trial = { actor, workflow, runId: newId("try"), signal };
  const journal = new TrialJournal(trial, { stepId, samples, payload, triggerId });
  const failed = (error: string) => ({ ...NOTHING, error, earlier: journal.earlier });
  try {
    await runDefinition(journal, definition);
    return failed("With this data, the workflow ends before it reaches this step.");
  } catch (error) {
    if (error instanceof Reached) return { ...error.result, earlier: journal.earlier };
    closed.throwIfAborted();
    if (signal.aborted) return failed(`It took longer than ${TOTAL_TIMEOUT / 60_000} minutes.`);
    return failed(describeFailure(error).message);
  }
}

interface TryUpToInput {
  definition: WorkflowDefinition;
  stepId: string;
  workflowId?: string | undefined;
  payload: Json;
  samples: Samples;
}

/** The trigger from which a step is reached; the first one if several are, or none. */
function triggerBefore(definition: WorkflowDefinition, stepId: string): string {
  const before = upstreamOf(toGraph(definition), stepId);
  const { triggers } = definition;
  return (triggers.find(({ id }) => before.has(id)) ?? triggers[0])?.id ?? "manual";
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
  condition: unknown;
  workflow: string;
  payload: Json;
}

/** Describes a control step's effect without any. @throws AppError as a run would */
function showControl(
  control: NonNullable<StepType["control"]>,
  actor: Actor,
  parsed: unknown,
  log: Log,
): StepResult {
  const config = parsed as ControlConfig;
  switch (control) {
    case "delay": {
      const { seconds } = config;
      const until = isoTime(now() + seconds * 1000);
      log("info", `Waits until ${until} in a run`);
      return { output: { seconds, until } };
    }
    case "approval": {
      const { question, details, sendTo, timeoutHours = null } = config;
      log("info", `Asks: ${question}`);
      for (const recipient of sendTo)
        log("info", `Emails a link to ${recipient} in a run. Nothing was sent.`);
      return { output: { question, details, sendTo, timeoutHours } };
    }
    case "each": {
      const { items } = config;
      for (const [index, item] of items.slice(0, MAX_LOGGED_ITEMS).entries())
        log("info", `Item ${index}: ${clip(JSON.stringify(item), MAX_CHARACTERS)}`);
      if (items.length > MAX_LOGGED_ITEMS) log("info", `${items.length - MAX_LOGGED_ITEMS} more items`);
      return { output: { items, count: items.length } };
    }
    case "while": {
      const condition = requireBoolean(config.condition);
      log("info", `The condition ${condition ? "holds: a round begins" : "doesn't hold"} in a run`);
      return { output: { condition } };
    }
    case "parallel":
      log("info", "Begins its branches in a run");
      return { output: null };
    case "call": {
      const { name } = requireCallable(actor.orgId, config.workflow);
      log("info", `Runs "${name}" with this payload in a run. Nothing was run.`);
      return { output: { workflow: name, payload: config.payload } };
    }
  }
}
