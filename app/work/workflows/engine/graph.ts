import { findStepType } from "../steps/index.server";
import type { Connection, WorkflowDefinition, WorkflowStep } from "../workflows.schema";
import { bodySize, isBodyBranch, parallelOf } from "../workflows.shared";

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
export function startOf(graph: Graph, triggerId: string): Set<string> {
  const start = new Set((graph.outgoing.get(triggerId) ?? []).map(({ to }) => to));
  for (const { id } of graph.steps) if (!graph.incoming.has(id)) start.add(id);
  return start;
}

/** Everything that `next` leads to, with the parts it starts from. */
export function reachable(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
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
    const split = graph.steps[parallelOf(graph.steps, index)];
    // Steps that run at the same time come neither before nor after it.
    const last = split ? graph.steps.indexOf(split) + bodySize(split) : index;
    return new Set(graph.steps.slice(last + 1).map((step) => step.id));
  }
  const after = (of: string) => (graph.outgoing.get(of) ?? []).map(({ to }) => to);
  return reachable(after(id), after);
}

export const isLoop = ({ type }: Pick<WorkflowStep, "type">): boolean => {
  const control = findStepType(type)?.control;
  return control === "each" || control === "while";
};

export function bodySteps(graph: Graph, loop: WorkflowStep): { steps: WorkflowStep[]; start: Set<string> } {
  if (graph.isList) {
    const index = graph.steps.indexOf(loop);
    const steps = graph.steps.slice(index + 1, index + 1 + bodySize(loop));
    return { steps, start: new Set(steps.slice(0, 1).map(({ id }) => id)) };
  }
  const ids = bodyOf(graph, loop.id);
  const start = (graph.outgoing.get(loop.id) ?? []).filter(({ branch }) => isBodyBranch(branch));
  return { steps: graph.steps.filter(({ id }) => ids.has(id)), start: new Set(start.map(({ to }) => to)) };
}
