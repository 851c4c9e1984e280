import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { Draft, type DraftPart, type PartType } from "./builder.schema";
import { connectionsOf, findPartType, partTitle } from "./builder-draft.shared";
import { layOut, NODE_WIDTH, type Point } from "./graph-layout.shared";
import { listPartTypes } from "./part-types.server";
import {
  type DrawnLine,
  type DrawnNode,
  NODE_SIZE,
  type NodeState,
  type RunDrawing,
} from "./run-drawing.shared";
import type { RunDetails, RunStep } from "./runs.schema";
import { findVersion } from "./workflows.repo.server";
import { branchesOf } from "./workflows.shared";

const SCALE = NODE_SIZE.width / NODE_WIDTH;
/** Tighter than on the canvas, to fit beside the steps. */
const GAP = { x: 28, y: 24 };
/** Around the graph, in pixels. */
const MARGIN = 8;
/** Cached layouts: a running workflow's page reloads twice a second. */
const MAX_CACHED_LAYOUTS = 200;
const layouts = new Map<string, Map<string, Point>>();

/** The worst state of a step's items wins. */
const STATES_BY_SEVERITY = ["failed", "waiting", "running", "cancelled", "succeeded", "skipped"] as const;

/** Omits the rows of For Each steps themselves. */
function resultsByStep(steps: readonly RunStep[]): Map<string, RunStep[]> {
  const results = new Map<string, RunStep[]>();
  for (const step of steps) {
    if (step.key.endsWith("[]")) continue;
    results.set(step.stepId, [...(results.get(step.stepId) ?? []), step]);
  }
  return results;
}

function totalDuration(results: readonly RunStep[]): number | null {
  if (results.length === 0 || results.some(({ finishedAt }) => finishedAt === null)) return null;
  return results.reduce(
    (sum, { startedAt, finishedAt }) => sum + Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt),
    0,
  );
}

/** Stored positions, or a layout if any is missing. */
function positionParts(draft: Draft, types: readonly PartType[], version: string): Map<string, Point> {
  const cached = layouts.get(version);
  if (cached) return cached;
  const parts = [...draft.triggers, ...draft.steps];
  const stored = parts.flatMap(({ id, position }) => (position ? [[id, position] as const] : []));
  const points = stored.length === parts.length ? new Map(stored) : layOut(draft, types, GAP);
  const left = Math.min(...[...points.values()].map(({ x }) => x));
  const top = Math.min(...[...points.values()].map(({ y }) => y));
  const placed = new Map(
    [...points].map(([id, { x, y }]) => [
      id,
      { x: Math.round((x - left) * SCALE) + MARGIN, y: Math.round((y - top) * SCALE) + MARGIN },
    ]),
  );
  if (layouts.size >= MAX_CACHED_LAYOUTS) layouts.clear();
  layouts.set(version, placed);
  return placed;
}

/** Position of a branch on the node's lower edge. */
function branchX(part: DraftPart, type: PartType | undefined, branch: string | undefined): number {
  const branches = branchesOf(part, type);
  const at = branch === undefined ? -1 : branches.indexOf(branch);
  return at === -1 ? NODE_SIZE.width / 2 : ((at + 0.5) / branches.length) * NODE_SIZE.width;
}

/** Undefined if the version was deleted. */
export function drawRun(actor: Actor, run: RunDetails): RunDrawing | undefined {
  authorise(actor, "screens.read");
  const version = findVersion(db(), run.workflowId, run.version);
  const parsed = Draft.safeParse(version?.definition);
  if (!parsed.success || parsed.data.steps.length === 0) return undefined;
  const draft = parsed.data;
  const types = listPartTypes(actor.orgId);
  const points = positionParts(draft, types, `${run.workflowId}@${run.version}`);
  const results = resultsByStep(run.steps);
  const defaultState: NodeState = run.finishedAt === null ? "pending" : "unused";
  const nodes = (["triggers", "steps"] as const).flatMap((kind) =>
    draft[kind].map((part): DrawnNode => {
      const type = findPartType(types, kind, part.type);
      const own = results.get(part.id) ?? [];
      const state = STATES_BY_SEVERITY.find((one) => own.some((result) => result.state === one));
      const started = kind === "triggers" && part.id === run.trigger.id;
      return {
        id: part.id,
        title: partTitle(part, type),
        type: type?.label ?? part.type,
        kind: type?.node ?? "action",
        ...(points.get(part.id) ?? { x: 0, y: 0 }),
        state: started ? "started" : (state ?? (kind === "triggers" ? "unused" : defaultState)),
        key: (own.find((result) => result.state === state) ?? own[0])?.key ?? null,
        count: own.length,
        took: totalDuration(own),
      };
    }),
  );
  return {
    width: Math.max(...nodes.map(({ x }) => x)) + NODE_SIZE.width + MARGIN,
    height: Math.max(...nodes.map(({ y }) => y)) + NODE_SIZE.height + MARGIN,
    nodes,
    lines: linesOf(draft, types, nodes, results, run),
  };
}

function linesOf(
  draft: Draft,
  types: readonly PartType[],
  nodes: readonly DrawnNode[],
  results: ReadonlyMap<string, readonly RunStep[]>,
  run: RunDetails,
): DrawnLine[] {
  return connectionsOf(draft, types).flatMap(({ from, to, branch }): DrawnLine[] => {
    const [source, target] = [from, to].map((id) => nodes.find((node) => node.id === id));
    const step = draft.steps.find(({ id }) => id === from);
    const part = step ?? draft.triggers.find(({ id }) => id === from);
    if (!source || !target || !part) return [];
    const type = findPartType(types, step ? "steps" : "triggers", part.type);
    const wasTaken = step
      ? (results.get(from) ?? []).some(
          (result) => branch === undefined || result.branch === branch || branch === "each",
        )
      : run.trigger.id === from;
    return [
      {
        id: `${from}>${to}:${branch ?? ""}`,
        branch: branch ?? null,
        taken: wasTaken && target.count > 0,
        from: { x: source.x + branchX(part, type, branch), y: source.y + NODE_SIZE.height },
        to: { x: target.x + NODE_SIZE.width / 2, y: target.y },
      },
    ];
  });
}
