import { yieldToEventLoop } from "~/core/background.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { definitionOf } from "../require-workflow.server";
import { requireBoolean } from "../steps/condition.step.server";
import { findStepType } from "../steps/index.server";
import type { Json, StepAt, StepResult, StepType } from "../steps/step-type";
import type { WorkflowDefinition, WorkflowStep } from "../workflows.schema";
import { bodySize, isParallel } from "../workflows.shared";
import type { Branches } from "./branches";
import { StepFailure } from "./failures.server";
import { fillConfig } from "./fill-config";
import { bodyOf, bodySteps, type Graph, isLoop, reachable, startOf, toGraph } from "./graph";
import type { Journal } from "./journal.server";
import { roundsLimit } from "./outputs.server";

/** Ends the run early. */
class Returned extends Error {
  constructor(readonly output: Json) {
    super("returned");
  }
}

interface Frame {
  /** Key prefix within a loop, such as `loop[3].`. */
  prefix: string;
  outputs: Record<string, Json>;
  item?: Json;
  index?: number;
  /** Output of the round before. */
  last?: Json;
}

/** What the interpreter needs of a journal; a try has one in memory. */
export interface RunJournal
  extends Pick<Journal, "startedAt" | "step" | "sleep" | "waitFor" | "child" | "record"> {
  readonly run: Pick<Journal["run"], "id" | "payload" | "triggerId">;
  readonly workflow: Pick<Journal["workflow"], "id" | "name">;
  /** Without it, branches run one after the other. */
  branch?(): Branches;
}

interface Interpreter {
  graph: Graph;
  journal: RunJournal;
  /** If steps run at the same time: those after a Parallel. */
  branches?: Branches | undefined;
  free: ReadonlySet<string>;
}

function scopeOf({ run, workflow, startedAt }: RunJournal, frame: Frame) {
  return {
    trigger: run.payload as Json,
    steps: frame.outputs,
    run: { id: run.id, startedAt: isoTime(startedAt) },
    workflow: { id: workflow.id, name: workflow.name },
    item: frame.item ?? null,
    index: frame.index ?? null,
    last: frame.last ?? null,
  };
}

const takeTurn = (branches: Branches | undefined) =>
  branches ? branches.work(yieldToEventLoop) : yieldToEventLoop();

/** @throws StepFailure unless the step continues after errors */
async function runStep(interpreter: Interpreter, step: WorkflowStep, frame: Frame): Promise<StepResult> {
  const { journal, branches } = interpreter;
  const at: StepAt = { key: `${frame.prefix}${step.id}`, step };
  const type = findStepType(step.type);
  if (!type) throw new StepFailure(at, `Unknown step type "${step.type}". Remove the step.`);
  const prepare = () => fillConfig(type, step, scopeOf(journal, frame));
  const onError = step.options?.onError ?? "stop";
  try {
    // Expressions of many steps in a row would hold up all requests.
    await takeTurn(branches);
    if (type.control === "each") return await runEach(interpreter, at, prepare, frame);
    if (type.control === "while") return await runWhile(interpreter, { at, type }, frame);
    const run = () => runAlone(journal, { at, type }, prepare);
    return await (branches?.step(run) ?? run());
  } catch (error) {
    // Rows of a loop's rounds have their own keys.
    if (!(error instanceof StepFailure) || error.at.step.id !== step.id || onError === "stop") throw error;
    return { output: { error: error.message }, ...(onError === "branch" ? { branch: "error" } : {}) };
  }
}

interface TypedStep {
  at: StepAt;
  type: StepType;
}

async function runAlone(
  journal: RunJournal,
  { at, type }: TypedStep,
  prepare: () => unknown,
): Promise<StepResult> {
  switch (type.control) {
    case "delay":
      return await journal.sleep(at, prepare);
    case "approval":
      return await journal.waitFor(at, prepare);
    case "call":
      return await journal.child(at, prepare);
    case "parallel":
      return journal.record(at, prepare, () => ({ output: null }));
    default:
      return await journal.step(at, type, prepare);
  }
}

async function runWhile(
  interpreter: Interpreter,
  { at, type }: TypedStep,
  frame: Frame,
): Promise<StepResult> {
  const { graph, journal } = interpreter;
  const body = bodySteps(graph, at.step);
  let inner = frame;
  for (let index = 0, last: Json = null; ; index += 1) {
    const key = `${at.key}[${index}]`;
    await takeTurn(interpreter.branches);
    inner = { ...frame, prefix: `${key}.`, outputs: { ...frame.outputs }, index, last };
    const prepare = () => {
      const config = fillConfig(type, at.step, scopeOf(journal, inner)) as WhileConfig;
      if (requireBoolean(config.condition) && index >= config.maxRounds)
        throw new AppError("invalid", `The condition still holds after ${index} rounds. Raise Max rounds.`);
      return config;
    };
    const holds = journal.record({ ...at, key }, prepare, (config) => ({
      output: (config as WhileConfig).condition as boolean,
    }));
    if (holds.output !== true) {
      const result = { output: { rounds: index, last }, branch: "done" };
      journal.record(at, prepare, () => result);
      return result;
    }
    last = await runSteps(interpreter, body.steps, body.start, inner);
  }
}

interface WhileConfig {
  condition: unknown;
  maxRounds: number;
}

/** Ends the loop's step as failed. @throws StepFailure */
function failLoop({ journal }: Interpreter, at: StepAt, error: AppError): void {
  const refuse = () => {
    throw error;
  };
  journal.record(at, refuse, () => ({ output: null }));
}

async function runEach(
  interpreter: Interpreter,
  at: StepAt,
  prepare: () => unknown,
  frame: Frame,
): Promise<StepResult> {
  const { graph, journal } = interpreter;
  const itemsOf = (config: unknown) => (config as { items: Json[] }).items;
  const began = journal.record({ ...at, key: `${at.key}[]` }, prepare, (config) => ({
    output: itemsOf(config),
  }));
  // The journal abbreviates a long list.
  const items = Array.isArray(began.output) ? began.output : itemsOf(prepare());
  const body = bodySteps(graph, at.step);
  const results: Json[] = [];
  const add = roundsLimit();
  for (const [index, item] of items.entries()) {
    const prefix = `${at.key}[${index}].`;
    const inner: Frame = { ...frame, prefix, outputs: { ...frame.outputs }, item, index };
    const output = await runSteps(interpreter, body.steps, body.start, inner);
    const excess = add(output);
    if (excess) failLoop(interpreter, at, excess);
    results.push(output);
  }
  const result = { output: { items: results, count: results.length }, branch: "done" };
  journal.record(at, prepare, () => result);
  // The journal abbreviates long results; a replay has collected them again.
  return result;
}

/** Index of the next step; undefined to stop. */
function nextIndex(
  graph: Graph,
  steps: readonly WorkflowStep[],
  at: number,
  { branch }: StepResult,
): number | undefined {
  const { trueAction, falseAction } = steps[at]?.config ?? {};
  const action = branch === "true" ? trueAction : branch === "false" ? falseAction : "continue";
  if (branch === "error" || action === "stop" || (branch === "refused" && graph.isList)) return undefined;
  const target = steps.findIndex(({ id }) => id === action);
  return target > at ? target : at + 1;
}

/** Steps that a run has reached so far. */
interface Progress {
  /** By the order of the steps, since those that run at once end in any. */
  last: { at: number; output: Json };
  run(step: WorkflowStep): Promise<StepResult>;
}

function progressOf(interpreter: Interpreter, steps: readonly WorkflowStep[], frame: Frame): Progress {
  const progress: Progress = {
    last: { at: -1, output: null },
    async run(step) {
      const result = await runStep(interpreter, step, frame);
      const { output } = result;
      frame.outputs[step.id] = output;
      const at = steps.indexOf(step);
      if (at >= progress.last.at) progress.last = { at, output };
      if (result.returns) throw new Returned(output);
      return result;
    },
  };
  return progress;
}

/** @returns the output of the last step in their order that ran */
async function runSteps(
  interpreter: Interpreter,
  steps: readonly WorkflowStep[],
  start: ReadonlySet<string>,
  frame: Frame,
): Promise<Json> {
  const progress = progressOf(interpreter, steps, frame);
  if (interpreter.graph.isList) await runList(interpreter, steps, progress);
  else await runConnected(interpreter, steps, start, progress);
  return progress.last.output;
}

async function runList(
  interpreter: Interpreter,
  steps: readonly WorkflowStep[],
  { run }: Progress,
): Promise<void> {
  const { graph, branches } = interpreter;
  for (let at = 0; at < steps.length; ) {
    const step = steps[at] as WorkflowStep;
    const next = nextIndex(graph, steps, at, await run(step));
    if (next === undefined) return;
    at = next;
    if (isLoop(step)) at += bodySteps(graph, step).steps.length;
    if (!isParallel(step)) continue;
    const block = steps.slice(at, at + bodySize(step));
    at += block.length;
    const goesOn: boolean[] = [];
    const runBranch = async (branch: WorkflowStep) => {
      const result = await run(branch);
      goesOn.push(nextIndex(graph, steps, steps.indexOf(branch), result) !== undefined);
    };
    if (branches) {
      const rest = [...block];
      await branches.together(() => rest.splice(0).map(runBranch));
    } else for (const branch of block) await runBranch(branch);
    if (block.length > 0 && !goesOn.includes(true)) return;
  }
}

async function runConnected(
  { graph, branches, free }: Interpreter,
  steps: readonly WorkflowStep[],
  start: ReadonlySet<string>,
  { run }: Progress,
): Promise<void> {
  const reached = new Set(start);
  const inBodies = new Set<string>();
  const begin = async (step: WorkflowStep) => {
    if (isLoop(step)) for (const id of bodyOf(graph, step.id)) inBodies.add(id);
    const result = await run(step);
    for (const { to, branch } of graph.outgoing.get(step.id) ?? [])
      if (branch === undefined ? result.branch !== "error" : branch === result.branch) reached.add(to);
  };
  if (!branches) {
    for (const step of steps) if (reached.has(step.id) && !inBodies.has(step.id)) await begin(step);
    return;
  }
  const open = new Map(steps.map((step) => [step.id, step]));
  const running = new Set<string>();
  const beginBranch = async (step: WorkflowStep) => {
    running.add(step.id);
    await begin(step);
    running.delete(step.id);
    open.delete(step.id);
  };
  // Steps after a Parallel wait for those connected to them only; all others for each step before them.
  await branches.together(() => {
    const works: Promise<void>[] = [];
    for (const [id, step] of open) {
      const isFree = free.has(id);
      const waits = isFree
        ? graph.incoming.get(id)?.some(({ from }) => open.has(from)) === true
        : open.keys().next().value !== id;
      if (!waits && !running.has(id)) {
        if (reached.has(id) && !inBodies.has(id)) works.push(beginBranch(step));
        else {
          open.delete(id);
          continue;
        }
      }
      if (!isFree) break;
    }
    return works;
  });
}

/**
 * Runs a workflow deterministically: its only side effects and its only clock are the journal's.
 * @returns what it returned, or null
 * @throws StepFailure; Suspended
 */
export function runGraph(journal: Journal): Promise<Json> {
  const { workflowId, version } = journal.run;
  return runDefinition(journal, definitionOf(workflowId, version));
}

/** As `runGraph`, of a definition that needn't be stored. @param definition as for `toGraph` */
export async function runDefinition(journal: RunJournal, definition: WorkflowDefinition): Promise<Json> {
  const graph = toGraph(definition);
  const start = startOf(graph, journal.run.triggerId);
  const splits = graph.steps.filter(isParallel).map(({ id }) => id);
  const branches = splits.length > 0 ? journal.branch?.() : undefined;
  const after = (id: string) => (graph.outgoing.get(id) ?? []).map(({ to }) => to);
  const free = reachable(splits.flatMap(after), after);
  try {
    await runSteps({ graph, journal, branches, free }, graph.steps, start, { prefix: "", outputs: {} });
    return null;
  } catch (error) {
    if (error instanceof Returned) return error.output;
    throw error;
  }
}
