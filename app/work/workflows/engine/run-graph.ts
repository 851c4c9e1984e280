import { yieldToEventLoop } from "~/core/background.server";
import type { Json, StepResult, StepType } from "../steps/step-type";
import type { WorkflowStep } from "../workflows.schema";
import { StepFailure } from "./failures.server";
import { fillConfig, type Prepared } from "./fill-config";
import { bodyOf, type Graph, type StepAt, startOf } from "./graph";
import type { Journal } from "./journal.server";

const MAX_ITEMS = 1000;

interface RunInput {
  trigger: { id: string; type: string; payload: Json };
  run: { id: string };
  workflow: { id: string; name: string };
}

interface RunResult {
  output: Json;
}

export type FindStepType = (type: string) => StepType | undefined;

/** Ends the run early. */
class Returned extends Error {
  constructor(readonly output: Json) {
    super("returned");
  }
}

interface Frame {
  /** Key prefix within a For each, such as `loop[3].`. */
  prefix: string;
  outputs: Record<string, Json>;
  item?: Json;
  index?: number;
}

interface Interpreter {
  graph: Graph;
  input: RunInput;
  journal: Journal;
  findType: FindStepType;
}

interface EachConfig {
  items: Json[];
  maxItems: number;
  bodySteps: number;
}

function scopeOf({ input, journal }: Interpreter, frame: Frame) {
  return {
    trigger: input.trigger.payload,
    steps: frame.outputs,
    run: { id: input.run.id, startedAt: new Date(journal.startedAt).toISOString() },
    workflow: input.workflow,
    item: frame.item ?? null,
    index: frame.index ?? null,
  };
}

/** @throws StepFailure unless the step continues after errors */
async function runStep(interpreter: Interpreter, step: WorkflowStep, frame: Frame): Promise<StepResult> {
  const { journal, findType } = interpreter;
  const at: StepAt = { key: `${frame.prefix}${step.id}`, step };
  const type = findType(step.type);
  if (!type) throw new StepFailure(at, `Unknown step type "${step.type}". Remove the step.`);
  const prepare = (): Prepared => ({ config: fillConfig(type, step, scopeOf(interpreter, frame)) });
  const onError = step.options?.onError ?? "stop";
  // Expressions of many steps in a row would hold up all requests.
  await yieldToEventLoop();
  try {
    switch (type.control) {
      case "delay":
        return await journal.sleep(at, prepare);
      case "approval":
        return await journal.waitFor(at, prepare);
      case "call":
        return await journal.child(at, prepare);
      case "each":
        return await runEach(interpreter, at, prepare, frame);
      default:
        return await journal.step(at, prepare);
    }
  } catch (error) {
    if (!(error instanceof StepFailure) || error.at.key !== at.key || onError === "stop") throw error;
    return { output: { error: error.message }, ...(onError === "branch" ? { branch: "error" } : {}) };
  }
}

async function runEach(
  interpreter: Interpreter,
  at: StepAt,
  prepare: () => Prepared,
  frame: Frame,
): Promise<StepResult> {
  const { graph, journal } = interpreter;
  const began = journal.record({ ...at, key: `${at.key}[]` }, prepare, () => {
    const { items, maxItems } = prepare().config as EachConfig;
    const max = Math.min(maxItems, MAX_ITEMS);
    if (items.length > max)
      throw new StepFailure(at, `The list has ${items.length} items; at most ${max} are allowed.`);
    return { output: items };
  });
  // The journal abbreviates a long list.
  const items = Array.isArray(began.output) ? began.output : (prepare().config as EachConfig).items;
  const body = bodySteps(graph, at.step);
  const results: Json[] = [];
  for (const [index, item] of items.entries()) {
    const inner: Frame = {
      prefix: `${at.key}[${index}].`,
      outputs: { ...frame.outputs },
      item,
      index,
    };
    results.push(await runSteps(interpreter, body.steps, body.start, inner));
  }
  const result = { output: { items: results, count: results.length }, branch: "done" };
  journal.record(at, prepare, () => result);
  // The journal abbreviates long results; a replay has collected them again.
  return result;
}

function bodySteps(graph: Graph, each: WorkflowStep): { steps: WorkflowStep[]; start: Set<string> } {
  if (graph.isList) {
    const index = graph.steps.indexOf(each);
    const count = Number((each.config as { bodySteps?: unknown }).bodySteps ?? 1) || 1;
    const steps = graph.steps.slice(index + 1, index + 1 + count);
    return { steps: [...steps], start: new Set(steps.slice(0, 1).map(({ id }) => id)) };
  }
  const ids = bodyOf(graph, each.id);
  const start = (graph.outgoing.get(each.id) ?? [])
    .filter(({ branch }) => branch === "each")
    .map(({ to }) => to);
  return { steps: graph.steps.filter(({ id }) => ids.has(id)), start: new Set(start) };
}

/** Index of the next step; undefined to stop. */
function nextIndex(
  graph: Graph,
  steps: readonly WorkflowStep[],
  at: number,
  { branch }: StepResult,
): number | undefined {
  const step = steps[at];
  const { trueAction, falseAction } = (step?.config ?? {}) as Record<string, unknown>;
  const action = branch === "true" ? trueAction : branch === "false" ? falseAction : "continue";
  if (branch === "error" || action === "stop" || (branch === "refused" && graph.isList)) return undefined;
  const target = steps.findIndex(({ id }) => id === action);
  return target > at ? target : at + 1;
}

/** @returns the last step's output */
async function runSteps(
  interpreter: Interpreter,
  steps: readonly WorkflowStep[],
  start: ReadonlySet<string>,
  frame: Frame,
): Promise<Json> {
  const { graph } = interpreter;
  let last: Json = null;
  const finish = (step: WorkflowStep, result: StepResult) => {
    frame.outputs[step.id] = result.output;
    last = result.output;
    if (result.returns) throw new Returned(result.output);
  };
  if (graph.isList) {
    let at = 0;
    while (at < steps.length) {
      const step = steps[at] as WorkflowStep;
      const result = await runStep(interpreter, step, frame);
      finish(step, result);
      const next = nextIndex(graph, steps, at, result);
      if (next === undefined) break;
      const isEach = interpreter.findType(step.type)?.control === "each";
      at = next + (isEach ? bodySteps(graph, step).steps.length : 0);
    }
    return last;
  }
  const reached = new Set(start);
  const inBodies = new Set<string>();
  for (const step of steps) {
    if (!reached.has(step.id) || inBodies.has(step.id)) continue;
    if (interpreter.findType(step.type)?.control === "each")
      for (const id of bodyOf(graph, step.id)) inBodies.add(id);
    const result = await runStep(interpreter, step, frame);
    finish(step, result);
    for (const { to, branch } of graph.outgoing.get(step.id) ?? [])
      if (branch === undefined ? result.branch !== "error" : branch === result.branch) reached.add(to);
  }
  return last;
}

/**
 * Runs a workflow deterministically: its only side effects and its only clock are the journal's.
 * @throws StepFailure; Suspended
 */
export async function runGraph(
  graph: Graph,
  input: RunInput,
  journal: Journal,
  findType: FindStepType,
): Promise<RunResult> {
  const interpreter = { graph, input, journal, findType };
  const frame: Frame = { prefix: "", outputs: {} };
  try {
    await runSteps(interpreter, graph.steps, startOf(graph, input.trigger.id), frame);
    return { output: null };
  } catch (error) {
    if (error instanceof Returned) return { output: error.output };
    throw error;
  }
}
