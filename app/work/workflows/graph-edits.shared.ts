import type { Draft, DraftConnection, DraftPart, PartType } from "./builder.schema";
import {
  addPart,
  connectionsOf,
  findPartType,
  freeId,
  impliedConnections,
  isFull,
  mainBranch,
  NEXT_FIELDS,
  removePart,
  sameConnection,
} from "./builder-draft.shared";
import { cycleMessage, findCycle, isParallel, stepPath, triggerTargetMessage } from "./workflows.shared";

type Types = readonly PartType[];
export type Point = { x: number; y: number };
export type Positions = ReadonlyMap<string, Point>;

const partsOf = (draft: Draft) => [...draft.triggers, ...draft.steps];

/** The steps that lie after `id`, and `id`. */
function downstreamOf(id: string, connections: readonly DraftConnection[]): Set<string> {
  const ids = new Set([id]);
  // A set's iteration also visits what is added meanwhile.
  for (const one of ids) for (const { from, to } of connections) if (from === one) ids.add(to);
  return ids;
}

/** Why a line can't be drawn, in the words of a refused save. Dashed lines give way, so they close no cycle. */
export function refusedLine(draft: Draft, line: DraftConnection): string | undefined {
  const { from, to } = line;
  if (draft.triggers.some(({ id }) => id === to)) return triggerTargetMessage(to);
  if (from !== to && !downstreamOf(to, draft.connections).has(from)) return undefined;
  return cycleMessage(findCycle(draft.steps, [line, ...draft.connections]) ?? [from, to]);
}

/**
 * The list's order as connections, with `line` in place of what it contradicts: a step that is connected to one before it
 * moves before that, and a step that now follows another one no longer follows its neighbor.
 */
function withFirstLine(draft: Draft, line: DraftConnection, types: Types): Draft {
  const { from, to } = line;
  const [at, target] = [from, to].map((id) => draft.steps.findIndex((step) => step.id === id));
  const moved = draft.steps[at ?? -1];
  if (moved && at !== undefined && target !== undefined && at > target) {
    const steps = draft.steps.toSpliced(at, 1).toSpliced(target, 0, moved);
    const next = { ...draft, steps };
    return addLine({ ...next, connections: impliedConnections(next, types) }, line);
  }
  const isStep = (id: string) => draft.steps.some((step) => step.id === id);
  const connections = impliedConnections(draft, types).filter(
    (one) => one.to !== to || one.from === from || one.branch !== undefined || !isStep(one.from),
  );
  return addLine({ ...draft, connections }, line);
}

const addLine = (draft: Draft, line: DraftConnection): Draft =>
  draft.connections.some((one) => sameConnection(one, line))
    ? draft
    : { ...draft, connections: [...draft.connections, line] };

/** A refused line changes nothing. */
export function connect(draft: Draft, line: DraftConnection, types: Types): Draft {
  if (refusedLine(draft, line) !== undefined) return draft;
  return draft.connections.length > 0 ? addLine(draft, line) : withFirstLine(draft, line, types);
}

export function disconnect(draft: Draft, line: DraftConnection): Draft {
  return { ...draft, connections: draft.connections.filter((one) => !sameConnection(one, line)) };
}

/** Where a part is added: on a line, or after an exit that leads nowhere yet. */
export interface Spot {
  from: string;
  branch?: string | undefined;
  to?: string | undefined;
}

export interface Added {
  draft: Draft;
  /** Empty if nothing was added. */
  id: string;
}

/** Adds a step on a line or after an exit. A trigger, which nothing leads to, is only added. */
export function insertPart(draft: Draft, type: PartType, spot: Spot, types: Types, position?: Point): Added {
  const added = addPart(draft, type, position);
  const { id } = added;
  const step = added.draft.steps.at(-1);
  if (!id || type.kind === "triggers" || !step) return added;
  const { from, to, branch } = spot;
  const index = draft.steps.findIndex((one) => one.id === (to ?? from));
  const place = to === undefined ? index + 1 : Math.max(0, index);
  const steps = draft.steps.toSpliced(place, 0, step);
  const line = { from, ...(branch ? { branch } : {}) };
  const rest = connectionsOf(draft, types).filter(
    (one) => to === undefined || !sameConnection(one, { ...line, to }),
  );
  const next = mainBranch(type);
  const connections = [
    ...rest,
    { ...line, to: id },
    ...(to === undefined ? joinsOf(draft, from, types) : [to]).map((target) => ({
      from: id,
      to: target,
      ...(next ? { branch: next } : {}),
    })),
  ];
  // A list stays one where its order says the same. Every trigger leads to the first step.
  const isListed =
    draft.connections.length === 0 &&
    (draft.steps.length === 0 || haveSameLines(impliedConnections({ ...draft, steps }, types), connections));
  return { id, draft: { ...draft, steps, connections: isListed ? [] : connections } };
}

/** Where a new branch of Parallel leads: to the step at which all of its branches meet at once. */
function joinsOf(draft: Draft, from: string, types: Types): string[] {
  const part = draft.steps.find(({ id }) => id === from);
  if (!part || !isParallel(part)) return [];
  const lines = connectionsOf(draft, types);
  const branches = lines.filter((line) => line.from === from).map(({ to }) => to);
  const [joins = [], ...others] = branches.map((id) =>
    lines.filter((line) => line.from === id).map(({ to }) => to),
  );
  return [...new Set(joins)].filter((id) => others.every((targets) => targets.includes(id)));
}

const haveSameLines = (some: readonly DraftConnection[], others: readonly DraftConnection[]) =>
  some.length === others.length && some.every((one) => others.some((other) => sameConnection(one, other)));

/** Adds a part after another one, by its first free branch or on the line that leaves it. Without `after` it is the last. */
export function addAfter(draft: Draft, type: PartType, after: string | undefined, types: Types): Added {
  const source = partsOf(draft).find(({ id }) => id === after) ?? draft.steps.at(-1);
  if (!source || type.kind === "triggers") return addPart(draft, type);
  const sourceType = draft.steps.includes(source) ? findPartType(types, "steps", source.type) : undefined;
  const lines = connectionsOf(draft, types).filter(({ from }) => from === source.id);
  const isFree = (branch: string) => !lines.some((line) => line.branch === branch);
  const branch = sourceType?.branches.find(isFree) ?? mainBranch(sourceType);
  const taken = lines.filter((line) => line.branch === branch);
  const to = taken.length === 1 ? taken[0]?.to : undefined;
  return insertPart(draft, type, { from: source.id, branch, to }, types);
}

/**
 * Positions with room for `id` at `at`: what follows it on the line moves down where it is too near.
 * @param gap between the corners of parts that follow each other, in pixels
 */
export function makeRoom(
  positions: Positions,
  { draft, id, at, gap }: { draft: Draft; id: string; at: Point; gap: number },
  types: Types,
): Map<string, Point> {
  const lines = connectionsOf(draft, types);
  const next = lines.filter(({ from }) => from === id).flatMap(({ to }) => positions.get(to) ?? []);
  const missing = Math.max(0, ...next.map(({ y }) => (y >= at.y - gap ? at.y + gap - y : 0)));
  const below = downstreamOf(id, lines);
  const moved = [...positions].map(([other, point]): [string, Point] => [
    other,
    below.has(other) && other !== id && point.y >= at.y - gap ? { x: point.x, y: point.y + missing } : point,
  ]);
  return new Map([...moved, [id, at]]);
}

/** Copied parts with the lines between them. */
export interface Copied {
  triggers: DraftPart[];
  steps: DraftPart[];
  connections: DraftConnection[];
  /** Whether the steps ran in the list's order. */
  isList: boolean;
}

export function copyParts(
  draft: Draft,
  ids: ReadonlySet<string>,
  positions: Positions,
  types: Types,
): Copied {
  const own = (parts: readonly DraftPart[]) =>
    parts
      .filter(({ id }) => ids.has(id))
      .map((part) => ({
        ...structuredClone(part),
        ...(positions.has(part.id) && { position: positions.get(part.id) }),
      }));
  return {
    triggers: own(draft.triggers),
    steps: own(draft.steps),
    connections: connectionsOf(draft, types).filter(({ from, to }) => ids.has(from) && ids.has(to)),
    isList: draft.connections.length === 0,
  };
}

/** Names of steps in expressions. */
function renameSteps(value: unknown, ids: ReadonlyMap<string, string>, depth = 0): unknown {
  if (typeof value === "string") {
    return value.replace(
      /\bsteps(?:\.([A-Za-z_]\w*)|\[\s*(["'])([\w-]+)\2\s*\])/g,
      (whole, plain?: string, _quote?: string, quoted?: string) => {
        const id = ids.get(plain ?? quoted ?? "");
        return id === undefined ? whole : stepPath(id);
      },
    );
  }
  if (typeof value !== "object" || value === null || depth > 8) return value;
  if (Array.isArray(value)) return value.map((one) => renameSteps(one, ids, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, renameSteps(one, ids, depth + 1)]),
  );
}

/** Adds copies with new ids, by which they name each other. @returns no ids if there is no room for all */
export function pasteParts(
  draft: Draft,
  copied: Copied,
  move: Point,
  types: Types,
): { draft: Draft; ids: string[] } {
  const ids = new Map<string, string>();
  let next = draft;
  for (const kind of ["triggers", "steps"] as const)
    for (const { id, position, ...part } of copied[kind]) {
      if (isFull(next, kind)) return { draft, ids: [] };
      const own = freeId(next, part.type);
      ids.set(id, own);
      const moved = position && { position: { x: position.x + move.x, y: position.y + move.y } };
      next = { ...next, [kind]: [...next[kind], { ...part, id: own, ...moved }] };
    }
  const pasted = new Set(ids.values());
  const steps = next.steps.map((step) => {
    if (!pasted.has(step.id)) return step;
    const { config, condition } = renameSteps(
      { config: step.config, condition: step.condition },
      ids,
    ) as Pick<DraftPart, "config" | "condition">;
    for (const name of NEXT_FIELDS) {
      const other = ids.get(String(config[name]));
      if (other) config[name] = other;
    }
    return { ...step, config, ...(condition ? { condition } : {}) };
  });
  next = { ...next, steps };
  if (copied.isList && draft.connections.length === 0) return { draft: next, ids: [...pasted] };
  const lines = copied.connections.flatMap(({ from, to, branch }): DraftConnection[] => {
    const [source, target] = [ids.get(from), ids.get(to)];
    return source && target ? [{ from: source, to: target, ...(branch ? { branch } : {}) }] : [];
  });
  if (lines.length === 0) return { draft: next, ids: [...pasted] };
  return { draft: { ...next, connections: [...connectionsOf(draft, types), ...lines] }, ids: [...pasted] };
}

/** In one change, for a single undo. */
export function removeAll(draft: Draft, ids: readonly string[], lines: readonly DraftConnection[]): Draft {
  let next = lines.reduce(disconnect, draft);
  for (const id of ids)
    for (const kind of ["triggers", "steps"] as const) {
      const index = next[kind].findIndex((part) => part.id === id);
      if (index >= 0) next = removePart(next, kind, index);
    }
  return next;
}

export function applyPositions(draft: Draft, positions: Positions): Draft {
  const place = (part: DraftPart) => {
    const position = positions.get(part.id);
    return position ? { ...part, position } : part;
  };
  return { ...draft, triggers: draft.triggers.map(place), steps: draft.steps.map(place) };
}
