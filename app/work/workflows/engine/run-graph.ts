import { yieldToEventLoop } from "~/core/background.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { definitionOf } from "../require-workflow.server";
import { requireBoolean } from "../steps/condition.step.server";
import { findStepType } from "../steps/index.server";
import type { Json, StepAt, StepResult, StepType } from "../steps/step-type";
import type { Connection, WorkflowDefinition, WorkflowStep } from "../workflows.schema";
import { bodySize, isBodyBranch, isParallel, parallelOf } from "../workflows.shared";
import type { Branches } from "./branches";
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

/** Steps reachable only through a loop's branch into its body. */
export function bodyOf(graph: Graph, loopId: string): Set<string> {
  const after = (id: string) => graph.outgoing.get(id) ?? [];
  const reachedBy = (inBody: boolean) => {
    const begin = after(loopId).filter(({ branch }) => isBodyBranch(branch) === inBody);
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
    const split = parallelOf(graph.steps, index);
    return new Set(graph.steps.slice(0, split === -1 ? Math.max(0, index) : split + 1).map(({ id }) => id));
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
    const inner: Frame = { ...frame, prefix, outputs: { ...frame.outputs }, item, index };
    results.push(await runSteps(interpreter, body.steps, body.start, inner));
  }
  const result = { output: { items: results, count: results.length }, branch: "done" };
  journal.record(at, prepare, () => result);
  // The journal abbreviates long results; a replay has collected them again.
  return result;
}

function bodySteps(graph: Graph, loop: WorkflowStep): { steps: WorkflowStep[]; start: Set<string> } {
  if (graph.isList) {
    const index = graph.steps.indexOf(loop);
    const steps = graph.steps.slice(index + 1, index + 1 + bodySize(loop));
    return { steps, start: new Set(steps.slice(0, 1).map(({ id }) => id)) };
  }
  const ids = bodyOf(graph, loop.id);
  const start = (graph.outgoing.get(loop.id) ?? []).filter(({ branch }) => isBodyBranch(branch));
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

export const isLoop = ({ type }: Pick<WorkflowStep, "type">): boolean => {
  const control = findStepType(type)?.control;
  return control === "each" || control === "while";
};

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
