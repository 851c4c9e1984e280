import type { Connection, WorkflowDefinition, WorkflowStep } from "../workflows.schema";

/** A step's place in a run: within For each, items have their own keys. */
export interface StepAt {
  key: string;
  step: WorkflowStep;
}

export interface Graph {
  steps: readonly WorkflowStep[];
  byId: ReadonlyMap<string, WorkflowStep>;
  outgoing: ReadonlyMap<string, readonly Connection[]>;
  incoming: ReadonlyMap<string, readonly Connection[]>;
  isList: boolean;
}

const group = (connections: readonly Connection[], end: "from" | "to") => {
  const groups = new Map<string, Connection[]>();
  for (const connection of connections) {
    const list = groups.get(connection[end]);
    if (list) list.push(connection);
    else groups.set(connection[end], [connection]);
  }
  return groups;
};

/** @returns the cycle's ids, the first repeated; undefined without one */
export function findCycle(
  steps: readonly { id: string }[],
  connections: readonly Connection[],
): string[] | undefined {
  const outgoing = group(connections, "from");
  const state = new Map<string, "open" | "done">();
  for (const { id } of steps) {
    // Iterative: a thousand steps can overflow the stack.
    const stack = [{ id, next: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1) as { id: string; next: number };
      if (top.next === 0) {
        if (state.get(top.id) === "done") {
          stack.pop();
          continue;
        }
        state.set(top.id, "open");
      }
      const edge = outgoing.get(top.id)?.[top.next];
      top.next += 1;
      if (!edge) {
        state.set(top.id, "done");
        stack.pop();
      } else if (state.get(edge.to) === "open") {
        const ids = stack.map((entry) => entry.id);
        return [...ids.slice(ids.indexOf(edge.to)), edge.to];
      } else if (!state.has(edge.to)) stack.push({ id: edge.to, next: 0 });
    }
  }
  return undefined;
}

/** Kahn's algorithm; ties keep the list's order. */
function sorted(
  steps: readonly WorkflowStep[],
  incoming: ReadonlyMap<string, readonly Connection[]>,
): WorkflowStep[] {
  const placed = new Set<string>();
  const rest = [...steps];
  const order: WorkflowStep[] = [];
  while (rest.length > 0) {
    const index = rest.findIndex(({ id }) => (incoming.get(id) ?? []).every(({ from }) => placed.has(from)));
    const [step] = rest.splice(index === -1 ? 0 : index, 1);
    if (!step) break;
    placed.add(step.id);
    order.push(step);
  }
  return order;
}

/** @param definition without cycles and with connections between parts that exist */
export function toGraph({ steps, connections }: WorkflowDefinition): Graph {
  const ids = new Set(steps.map(({ id }) => id));
  const between = connections.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const incoming = group(between, "to");
  const isList = connections.length === 0;
  return {
    steps: isList ? steps : sorted(steps, incoming),
    byId: new Map(steps.map((step) => [step.id, step])),
    outgoing: group(connections, "from"),
    incoming: group(connections, "to"),
    isList,
  };
}

/** Steps after the trigger, and those without incoming connections. */
export function startOf(graph: Graph, triggerId: string): Set<string> {
  const start = new Set((graph.outgoing.get(triggerId) ?? []).map(({ to }) => to));
  for (const { id } of graph.steps) if (!graph.incoming.has(id)) start.add(id);
  return start;
}

function reachable(graph: Graph, from: readonly string[]): Set<string> {
  const ids = new Set<string>();
  const open = [...from];
  while (open.length > 0) {
    const id = open.pop() as string;
    if (ids.has(id)) continue;
    ids.add(id);
    for (const { to } of graph.outgoing.get(id) ?? []) open.push(to);
  }
  return ids;
}

/** Steps reachable only through the `each` branch. */
export function bodyOf(graph: Graph, eachId: string): Set<string> {
  const out = graph.outgoing.get(eachId) ?? [];
  const targets = (inBody: boolean) =>
    out.filter(({ branch }) => (branch === "each") === inBody).map(({ to }) => to);
  const body = reachable(graph, targets(true));
  for (const id of reachable(graph, targets(false))) body.delete(id);
  return body;
}

export function upstreamOf(graph: Graph, id: string): Set<string> {
  if (graph.isList) {
    const index = graph.steps.findIndex((step) => step.id === id);
    return new Set(graph.steps.slice(0, Math.max(0, index)).map((step) => step.id));
  }
  const ids = new Set<string>();
  const open = (graph.incoming.get(id) ?? []).map(({ from }) => from);
  while (open.length > 0) {
    const next = open.pop() as string;
    if (ids.has(next)) continue;
    ids.add(next);
    for (const { from } of graph.incoming.get(next) ?? []) open.push(from);
  }
  return ids;
}
