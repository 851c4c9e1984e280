import dagre from "@dagrejs/dagre";
import type { Draft, DraftConnection, PartType } from "./builder.schema";
import { connectionsOf } from "./builder-draft.shared";

export type Point = { x: number; y: number };

export const NODE_WIDTH = 240;
const NODE_HEIGHT = 90;
/** Room for a line that passes a node, in pixels: it is drawn from handle to handle, and would run behind it. */
const LINE_GAP = 140;
/** Branches with handles on the left. */
const LEFT = new Set(["true", "approved", "each", "repeat"]);

/** Top-left corners of a layered layout, top to bottom; `gap` in pixels. */
export function layOut(
  draft: Draft,
  types: readonly PartType[],
  gap: Point = { x: 100, y: 50 },
): Map<string, Point> {
  const parts = [...draft.triggers, ...draft.steps];
  const lines = connectionsOf(draft, types);
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: gap.x, ranksep: gap.y, edgesep: LINE_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of parts) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  const places = new Map(parts.map(({ id }, index) => [id, index]));
  const sideOf = ({ to, branch }: DraftConnection) =>
    (LEFT.has(branch ?? "") ? 0 : parts.length) + (places.get(to) ?? 0);
  for (const { from, to } of [...lines].sort((one, other) => sideOf(one) - sideOf(other)))
    if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  // Its heuristic draws branches in any order that crosses no more lines, often the reverse; without it they have that
  // of the lines above.
  dagre.layout(graph, { disableOptimalOrderHeuristic: true });
  return new Map(
    parts.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - NODE_HEIGHT / 2) }];
    }),
  );
}
