import dagre from "@dagrejs/dagre";
import type { Draft, PartType } from "../../builder.schema";
import { impliedConnections } from "../../builder-draft.schema";

const WIDTH = 240;
const HEIGHT = 90;

/** Positions in layers from the top to the bottom, by the corners of the nodes. */
export function layOut(draft: Draft, types: readonly PartType[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 40, ranksep: 50 });
  graph.setDefaultEdgeLabel(() => ({}));
  const parts = [...draft.triggers, ...draft.steps];
  for (const { id } of parts) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  const lines = draft.connections.length > 0 ? draft.connections : impliedConnections(draft, types);
  for (const { from, to } of lines) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  dagre.layout(graph);
  return new Map(
    parts.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: Math.round(x - WIDTH / 2), y: Math.round(y - HEIGHT / 2) }];
    }),
  );
}
