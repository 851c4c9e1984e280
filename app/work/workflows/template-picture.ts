import { Draft, type PartType } from "./builder.schema";
import { connectionsOf, findPartType } from "./builder-draft.shared";
import { layOut, NODE_WIDTH } from "./graph-layout.shared";
import { PART_SIZE, type TemplatePicture } from "./template-picture.shared";
import type { WorkflowDefinition } from "./workflows.schema";

/** Distance between two parts in the picture, in its own units. */
const STEP = { along: 44, across: 38 };
/** Between two neighbours of the layout, in pixels. */
const GAP = { x: 100, y: 50 };

/** Draws a template by the layout of its canvas, turned on its side. */
export function drawTemplate(definition: WorkflowDefinition, types: readonly PartType[]): TemplatePicture {
  const draft = Draft.parse(definition);
  const points = layOut(draft, types, GAP);
  const ranks = [...new Set([...points.values()].map(({ y }) => y))].sort((a, b) => a - b);
  const left = Math.min(...[...points.values()].map(({ x }) => x));
  const shown = (["triggers", "steps"] as const).flatMap((kind) =>
    draft[kind].map((part) => {
      const type = findPartType(types, kind, part.type);
      const { x = 0, y = 0 } = points.get(part.id) ?? {};
      return {
        id: part.id,
        icon: type?.icon ?? "",
        kind: type?.node ?? "action",
        x: ranks.indexOf(y) * STEP.along,
        y: Math.round(((x - left) / (NODE_WIDTH + GAP.x)) * STEP.across),
      };
    }),
  );
  const byId = new Map(shown.map((node) => [node.id, node]));
  const lines = connectionsOf(draft, types).flatMap(({ from, to, branch = "" }) => {
    const [start, end] = [byId.get(from), byId.get(to)];
    if (!start || !end) return [];
    const middle = PART_SIZE / 2;
    return [
      {
        id: `${from}>${to}:${branch}`,
        from: { x: start.x + PART_SIZE, y: start.y + middle },
        to: { x: end.x, y: end.y + middle },
      },
    ];
  });
  return {
    width: Math.max(...shown.map(({ x }) => x), 0) + PART_SIZE,
    height: Math.max(...shown.map(({ y }) => y), 0) + PART_SIZE,
    nodes: shown,
    lines,
  };
}
