import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { Draft, type DraftConnection, type DraftPart, type PartType } from "./builder.schema";
import { connectionsOf, findPartType, partTitle } from "./builder-draft.shared";
import { layOut, NODE_WIDTH, type Point } from "./graph-layout.shared";
import { listPartTypes } from "./part-types.server";
import {
  type ChangeDrawing,
  type ChangedLine,
  type ChangedNode,
  type DrawnChange,
  type DrawnLine,
  type DrawnNode,
  NODE_SIZE,
  type NodeState,
  type RunDrawing,
  type RunTrace,
  type ShownStep,
} from "./run-drawing.shared";
import { findRunFor } from "./runs.repo.server";
import type { RunDetails, RunStep } from "./runs.schema";
import { readRun } from "./runs.service.server";
import { findVersion } from "./workflows.repo.server";
import type { VersionChanges, Workflow } from "./workflows.schema";
import { readVersion } from "./workflows.service.server";
import { branchesOf, isBodyBranch, isRoundKey, loopOf } from "./workflows.shared";

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

/** A loop whose own row isn't written yet, or never will be: it goes on, failed, or was left. */
function openLoop(run: RunDetails, key: string, rows: readonly RunStep[]): ShownStep[] {
  const rounds = rows.filter((row) => isRoundKey(row.key) && loopOf(row.key) === key);
  const round = rounds.at(-1);
  if (!round) return [];
  const failed =
    rounds.find(({ state }) => state === "failed") ??
    (run.state === "failed"
      ? rows.findLast(({ state, stepId }) => state === "failed" && stepId === run.stepId)
      : undefined);
  const left = run.state === "succeeded" ? "succeeded" : "cancelled";
  const state = failed ? "failed" : run.finishedAt === null ? "running" : left;
  const ends = rows.map(({ finishedAt }) => finishedAt ?? "").sort();
  const error = failed && (loopOf(failed.key) === key ? failed.error : innerFailure(failed));
  const finishedAt = state === "running" ? null : ends.at(-1) || run.finishedAt;
  return [{ ...round, key, state, finishedAt, output: null, error: error ?? null, isOpenLoop: true }];
}

const innerFailure = ({ key, error }: RunStep) => `The step ${loopOf(key)} failed: ${error}`;

/** A rerun begins with the rows that it takes over, as `rerunFrom` writes them. */
const isKept = (run: RunDetails, { attempts, startedAt, finishedAt }: RunStep) =>
  run.rerunOf !== null && attempts === 0 && startedAt === finishedAt && startedAt <= run.createdAt;

/** In start order; the rows of a loop's rounds are its one step, from its first round on. */
export function listShownSteps(run: RunDetails): ShownStep[] {
  const groups = new Map<string, RunStep[]>();
  for (const row of run.steps) {
    const loops = [...row.key.matchAll(/\[/g)].map(({ index }) => row.key.slice(0, index));
    for (const key of new Set([...loops, loopOf(row.key)])) {
      const rows = groups.get(key);
      if (rows) rows.push(row);
      else groups.set(key, [row]);
    }
  }
  return [...groups].flatMap(([key, rows]) => {
    const own = rows.find((row) => row.key === key);
    const startedAt = rows[0]?.startedAt;
    return (own ? [own] : openLoop(run, key, rows)).map((row) => {
      const step = { ...row, ...(startedAt && { startedAt }) };
      return isKept(run, step) ? { ...step, isKept: true as const } : step;
    });
  });
}

function resultsByStep(steps: readonly ShownStep[]): Map<string, ShownStep[]> {
  const results = new Map<string, ShownStep[]>();
  for (const step of steps) {
    const own = results.get(step.stepId);
    if (own) own.push(step);
    else results.set(step.stepId, [step]);
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

/** A run's states, for the graph that is edited; undefined if it isn't one of the workflow, or was deleted. */
export function traceRun(actor: Actor, workflowId: string, runId: string): RunTrace | undefined {
  if (findRunFor(db(), actor.orgId, runId)?.workflowId !== workflowId) return undefined;
  const run = readRun(actor, runId);
  const drawing = drawRun(actor, run);
  if (!drawing) return undefined;
  const { id, state, error, finishedAt, durationMs } = run;
  return {
    id,
    state,
    error,
    isOpen: finishedAt === null,
    durationMs,
    nodes: Object.fromEntries(
      drawing.nodes.map(({ id, state, count, took }) => [id, { state, count, took }]),
    ),
    taken: drawing.lines.flatMap((line) => (line.taken ? [line.id] : [])),
  };
}

const lineId = ({ from, to, branch }: DraftConnection) => `${from}>${to}:${branch ?? ""}`;

const sizeOf = (nodes: readonly Point[]) => ({
  width: Math.max(...nodes.map(({ x }) => x)) + NODE_SIZE.width + MARGIN,
  height: Math.max(...nodes.map(({ y }) => y)) + NODE_SIZE.height + MARGIN,
});

/** Both versions in one graph; undefined if neither has a step. */
export function drawChanges(actor: Actor, id: string, versions: VersionChanges): ChangeDrawing | undefined {
  const [before, after] = [versions.from, versions.to].map((version) =>
    Draft.parse(readVersion(actor, id, version)),
  );
  if (!before || !after || before.steps.length + after.steps.length === 0) return undefined;
  const types = listPartTypes(actor.orgId);
  const gone = <T extends { id: string }>(old: readonly T[], now: readonly T[]) =>
    old.filter((one) => !now.some((other) => other.id === one.id));
  const [oldLines, newLines] = [before, after].map((draft) => connectionsOf(draft, types));
  const [old, now] = [oldLines, newLines].map((lines) => new Set(lines?.map(lineId)));
  const removed = (oldLines ?? []).filter((line) => !now?.has(lineId(line)));
  const union: Draft = {
    ...after,
    triggers: [...after.triggers, ...gone(before.triggers, after.triggers)],
    steps: [...after.steps, ...gone(before.steps, after.steps)],
    connections: [...(newLines ?? []), ...removed],
  };
  return drawParts(union, types, `${id}@${versions.from}-${versions.to}`, {
    part: (kind, of) =>
      versions.changes.find((change) => change.part === kind && change.id === of)?.kind ?? "same",
    line: (line) => (!now?.has(lineId(line)) ? "removed" : old?.has(lineId(line)) ? "same" : "added"),
  });
}

/** The present version; undefined without a step. */
export function drawWorkflow(actor: Actor, workflow: Workflow): ChangeDrawing | undefined {
  const { data: draft } = Draft.safeParse(workflow);
  if (!draft || draft.steps.length === 0) return undefined;
  const types = listPartTypes(actor.orgId);
  const same = () => "same" as const;
  const shown = { ...draft, connections: connectionsOf(draft, types) };
  return drawParts(shown, types, `${workflow.id}@${workflow.version}`, { part: same, line: same });
}

/** @param draft with all of its lines @param version under which its layout is kept */
function drawParts(
  draft: Draft,
  types: readonly PartType[],
  version: string,
  change: {
    part: (kind: "trigger" | "step", id: string) => DrawnChange;
    line: (line: DraftConnection) => DrawnChange;
  },
): ChangeDrawing {
  const points = positionParts(draft, types, version);
  const nodes = (["triggers", "steps"] as const).flatMap((kind) =>
    draft[kind].map((part): ChangedNode => {
      const type = findPartType(types, kind, part.type);
      return {
        id: part.id,
        title: partTitle(part, type),
        type: type?.label ?? part.type,
        kind: type?.node ?? "action",
        icon: type?.icon ?? "",
        ...(points.get(part.id) ?? { x: 0, y: 0 }),
        change: change.part(kind === "steps" ? "step" : "trigger", part.id),
      };
    }),
  );
  const lines = draft.connections.flatMap((line): ChangedLine[] => {
    const placed = placeLine(draft, types, nodes, line);
    if (!placed) return [];
    return [{ id: lineId(line), branch: line.branch ?? null, ...placed, change: change.line(line) }];
  });
  return { ...sizeOf(nodes), nodes, lines };
}

/** Undefined for a line from or to nowhere. */
function placeLine(
  draft: Draft,
  types: readonly PartType[],
  nodes: readonly (Point & { id: string })[],
  { from, to, branch }: DraftConnection,
): Pick<DrawnLine, "from" | "to"> | undefined {
  const [source, target] = [from, to].map((id) => nodes.find((node) => node.id === id));
  const step = draft.steps.find(({ id }) => id === from);
  const part = step ?? draft.triggers.find(({ id }) => id === from);
  if (!source || !target || !part) return undefined;
  const type = findPartType(types, step ? "steps" : "triggers", part.type);
  return {
    from: { x: source.x + branchX(part, type, branch), y: source.y + NODE_SIZE.height },
    to: { x: target.x + NODE_SIZE.width / 2, y: target.y },
  };
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
  const results = resultsByStep(listShownSteps(run));
  const defaultState: NodeState = run.finishedAt === null ? "pending" : "unused";
  const nodes = (["triggers", "steps"] as const).flatMap((kind) =>
    draft[kind].map((part): DrawnNode => {
      const type = findPartType(types, kind, part.type);
      const own = results.get(part.id) ?? [];
      const keptAll = own.length > 0 && own.every((result) => result.isKept);
      const state = keptAll
        ? "kept"
        : STATES_BY_SEVERITY.find((one) => own.some((result) => result.state === one));
      // A run by hand of a workflow without a manual trigger names another one.
      const started = kind === "triggers" && part.id === run.trigger.id && part.type === run.trigger.type;
      return {
        id: part.id,
        title: partTitle(part, type),
        type: type?.label ?? part.type,
        kind: type?.node ?? "action",
        ...(points.get(part.id) ?? { x: 0, y: 0 }),
        state: started ? "started" : (state ?? (kind === "triggers" ? "unused" : defaultState)),
        key: (own.find((result) => result.state === state) ?? own[0])?.key ?? null,
        count: own.length,
        took: keptAll ? null : totalDuration(own),
      };
    }),
  );
  return {
    ...sizeOf(nodes),
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
  return connectionsOf(draft, types).flatMap((line): DrawnLine[] => {
    const { from, to, branch } = line;
    const target = nodes.find((node) => node.id === to);
    const placed = placeLine(draft, types, nodes, line);
    if (!target || !placed) return [];
    const wasTaken =
      run.trigger.id === from ||
      (results.get(from) ?? []).some(
        (result) => branch === undefined || result.branch === branch || isBodyBranch(branch),
      );
    return [
      {
        id: lineId(line),
        branch: branch ?? null,
        taken: wasTaken && target.count > 0,
        ...placed,
      },
    ];
  });
}
