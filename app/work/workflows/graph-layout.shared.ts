import dagre from "@dagrejs/dagre";
import type { Draft, DraftConnection, PartType } from "./builder.schema";
import { connectionsOf } from "./builder-draft.shared";

type Graph = InstanceType<typeof dagre.graphlib.Graph>;
export type Point = { x: number; y: number };

export const NODE_WIDTH = 240;
const NODE_HEIGHT = 90;
/** Branches with handles on the left. */
const LEFT = new Set(["true", "approved", "each", "repeat"]);

/** Whether swapping a condition's branches avoids crossings: the layout ignores handles. */
function shouldSwapBranches(lines: readonly DraftConnection[], graph: Graph): boolean {
  const firstX = ({ from, to }: DraftConnection) => {
    const { points = [] } = (graph.edge(from, to) ?? {}) as { points?: { x: number }[] };
    return points[1]?.x ?? 0;
  };
  let crossed = 0;
  for (const left of lines)
    for (const right of lines)
      if (left.from === right.from && LEFT.has(left.branch ?? "") && !LEFT.has(right.branch ?? ""))
        crossed += Math.sign(firstX(left) - firstX(right));
  return crossed > 0;
}

/** Top-left corners of a layered layout, top to bottom; `gap` in pixels. */
export function layOut(
  draft: Draft,
  types: readonly PartType[],
  gap: Point = { x: 100, y: 50 },
): Map<string, Point> {
  const parts = [...draft.triggers, ...draft.steps];
  const lines = connectionsOf(draft, types);
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: gap.x, ranksep: gap.y });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of parts) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of lines) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  dagre.layout(graph);
  const side = shouldSwapBranches(lines, graph) ? -1 : 1;
  return new Map(
    parts.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: Math.round(side * x - NODE_WIDTH / 2), y: Math.round(y - NODE_HEIGHT / 2) }];
    }),
  );
}
