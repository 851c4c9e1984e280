import { yieldToEventLoop } from "~/core/background.server";
import { isoTime } from "~/core/durations";
import { definitionOf } from "../require-workflow.server";
import { findStepType } from "../steps/index.server";
import type { Json, StepAt, StepResult } from "../steps/step-type";
import type { Connection, WorkflowDefinition, WorkflowStep } from "../workflows.schema";
import { StepFailure } from "./failures.server";
import { fillConfig } from "./fill-config";
import type { Journal } from "./journal.server";

type Connections = ReadonlyMap<string, readonly Connection[]>;

export interface Graph {
  steps: readonly WorkflowStep[];
  /** Connections by the part that they leave. */
  outgoing: Connections;
  /** Connections by the step that they reach. */
  incoming: Connections;
  isList: boolean;
}

function groupBy(end: "from" | "to", connections: readonly Connection[]): Connections {
  const groups = new Map<string, Connection[]>();
  for (const connection of connections)
    groups.set(connection[end], [...(groups.get(connection[end]) ?? []), connection]);
  return groups;
}

/** Kahn's algorithm; ties keep the list's order. */
function sorted(steps: readonly WorkflowStep[], incoming: Connections): WorkflowStep[] {
  const rest = [...steps];
  const order: WorkflowStep[] = [];
  while (rest.length > 0) {
    const open = new Set(rest.map(({ id }) => id));
    const index = rest.findIndex(({ id }) => !incoming.get(id)?.some(({ from }) => open.has(from)));
    order.push(...rest.splice(Math.max(0, index), 1));
  }
  return order;
}

/** @param definition without cycles and with connections between parts that exist */
export function toGraph({ steps, connections }: WorkflowDefinition): Graph {
  const incoming = groupBy("to", connections);
  const isList = connections.length === 0;
  return {
    steps: isList ? steps : sorted(steps, incoming),
    outgoing: groupBy("from", connections),
    incoming,
    isList,
  };
}

/** Steps after the trigger, and those without incoming connections. */
function startOf(graph: Graph, triggerId: string): Set<string> {
  const start = new Set((graph.outgoing.get(triggerId) ?? []).map(({ to }) => to));
  for (const { id } of graph.steps) if (!graph.incoming.has(id)) start.add(id);
  return start;
}

/** Everything that `next` leads to, with the parts it starts from. */
function reachable(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const ids = new Set<string>(from);
  // A set's iteration also visits what is added meanwhile.
  for (const id of ids) for (const other of next(id)) ids.add(other);
  return ids;
}

/** Steps reachable only through the `each` branch. */
export function bodyOf(graph: Graph, eachId: string): Set<string> {
  const after = (id: string) => graph.outgoing.get(id) ?? [];
  const reachedBy = (inBody: boolean) => {
    const begin = after(eachId).filter(({ branch }) => (branch === "each") === inBody);
    return reachable(
      begin.map(({ to }) => to),
      (id) => after(id).map(({ to }) => to),
    );
  };
  const body = reachedBy(true);
  for (const id of reachedBy(false)) body.delete(id);
  return body;
}

/** Parts that come before a step. */
export function upstreamOf(graph: Graph, id: string): Set<string> {
  if (graph.isList) {
    const index = graph.steps.findIndex((step) => step.id === id);
    return new Set(graph.steps.slice(0, Math.max(0, index)).map((step) => step.id));
  }
  const before = (of: string) => (graph.incoming.get(of) ?? []).map(({ from }) => from);
  return reachable(before(id), before);
}

/** Steps that may come after a step. */
export function downstreamOf(graph: Graph, id: string): Set<string> {
  if (graph.isList) {
    const index = graph.steps.findIndex((step) => step.id === id);
    return new Set(graph.steps.slice(index + 1).map((step) => step.id));
  }
  const after = (of: string) => (graph.outgoing.get(of) ?? []).map(({ to }) => to);
  return reachable(after(id), after);
}

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

/** What the interpreter needs of a journal; a try has one in memory. */
export interface RunJournal
  extends Pick<Journal, "startedAt" | "step" | "sleep" | "waitFor" | "child" | "record"> {
  readonly run: Pick<Journal["run"], "id" | "payload" | "triggerId">;
  readonly workflow: Pick<Journal["workflow"], "id" | "name">;
}

interface Interpreter {
  graph: Graph;
  journal: RunJournal;
}

function scopeOf({ run, workflow, startedAt }: RunJournal, frame: Frame) {
  return {
    trigger: run.payload as Json,
    steps: frame.outputs,
    run: { id: run.id, startedAt: isoTime(startedAt) },
    workflow: { id: workflow.id, name: workflow.name },
    item: frame.item ?? null,
    index: frame.index ?? null,
  };
}

/** @throws StepFailure unless the step continues after errors */
async function runStep(interpreter: Interpreter, step: WorkflowStep, frame: Frame): Promise<StepResult> {
  const { journal } = interpreter;
  const at: StepAt = { key: `${frame.prefix}${step.id}`, step };
  const type = findStepType(step.type);
  if (!type) throw new StepFailure(at, `Unknown step type "${step.type}". Remove the step.`);
  const prepare = () => fillConfig(type, step, scopeOf(journal, frame));
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
        return await journal.step(at, type, prepare);
    }
  } catch (error) {
    if (!(error instanceof StepFailure) || error.at.key !== at.key || onError === "stop") throw error;
    return { output: { error: error.message }, ...(onError === "branch" ? { branch: "error" } : {}) };
  }
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
  for (const [index, item] of items.entries()) {
    const prefix = `${at.key}[${index}].`;
    const inner: Frame = { prefix, outputs: { ...frame.outputs }, item, index };
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
    const steps = graph.steps.slice(index + 1, index + 1 + (Number(each.config.bodySteps) || 1));
    return { steps, start: new Set(steps.slice(0, 1).map(({ id }) => id)) };
  }
  const ids = bodyOf(graph, each.id);
  const start = (graph.outgoing.get(each.id) ?? []).filter(({ branch }) => branch === "each");
  return { steps: graph.steps.filter(({ id }) => ids.has(id)), start: new Set(start.map(({ to }) => to)) };
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

const isEach = (step: WorkflowStep) => findStepType(step.type)?.control === "each";

/** @returns the last step's output */
async function runSteps(
  interpreter: Interpreter,
  steps: readonly WorkflowStep[],
  start: ReadonlySet<string>,
  frame: Frame,
): Promise<Json> {
  const { graph } = interpreter;
  let last: Json = null;
  const run = async (step: WorkflowStep): Promise<StepResult> => {
    const result = await runStep(interpreter, step, frame);
    last = result.output;
    frame.outputs[step.id] = last;
    if (result.returns) throw new Returned(result.output);
    return result;
  };
  if (graph.isList) {
    for (let at = 0; at < steps.length; ) {
      const step = steps[at] as WorkflowStep;
      const next = nextIndex(graph, steps, at, await run(step));
      if (next === undefined) break;
      at = next + (isEach(step) ? bodySteps(graph, step).steps.length : 0);
    }
    return last;
  }
  const reached = new Set(start);
  const inBodies = new Set<string>();
  for (const step of steps) {
    if (!reached.has(step.id) || inBodies.has(step.id)) continue;
    if (isEach(step)) for (const id of bodyOf(graph, step.id)) inBodies.add(id);
    const result = await run(step);
    for (const { to, branch } of graph.outgoing.get(step.id) ?? [])
      if (branch === undefined ? result.branch !== "error" : branch === result.branch) reached.add(to);
  }
  return last;
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
  try {
    await runSteps({ graph, journal }, graph.steps, start, { prefix: "", outputs: {} });
    return null;
  } catch (error) {
    if (error instanceof Returned) return error.output;
    throw error;
  }
}
