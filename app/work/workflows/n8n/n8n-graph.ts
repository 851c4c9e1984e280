import type { N8nNode, N8nWorkflow } from "./n8n.schema";

export interface Edge {
  from: string;
  /** Output of the node it leaves, from 0. */
  output: number;
  to: string;
}

/** A workflow's nodes by their names, without notes and what is switched off. */
export interface N8nGraph {
  nodes: ReadonlyMap<string, N8nNode>;
  incoming: ReadonlyMap<string, readonly Edge[]>;
  outgoing: ReadonlyMap<string, readonly Edge[]>;
}

/** Without the part before the dot, which names the package. */
export const typeOf = ({ type }: Pick<N8nNode, "type">): string => type.replace(/^.*\./, "");

export function toN8nGraph({ nodes, connections }: N8nWorkflow): N8nGraph {
  const byName = new Map(
    nodes.filter((node) => typeOf(node) !== "stickyNote").map((node) => [node.name, node]),
  );
  const incoming = new Map<string, Edge[]>();
  const outgoing = new Map<string, Edge[]>();
  for (const [from, { main }] of Object.entries(connections))
    for (const [output, targets] of main.entries())
      for (const { node: to } of targets ?? []) {
        if (!byName.has(from) || !byName.has(to)) continue;
        const edge = { from, output, to };
        outgoing.set(from, [...(outgoing.get(from) ?? []), edge]);
        incoming.set(to, [...(incoming.get(to) ?? []), edge]);
      }
  return { nodes: byName, incoming, outgoing };
}
