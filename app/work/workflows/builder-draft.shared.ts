import type { Draft, DraftConnection, DraftPart, PartKind, PartType } from "./builder.schema";
import { bodySize, isBodyBranch, isParallel, MAX_STEPS, MAX_TRIGGERS, parallelOf } from "./workflows.shared";

type Types = readonly PartType[];

export const findPartType = (types: Types, kind: PartKind, type: string): PartType | undefined =>
  types.find((one) => one.kind === kind && one.type === type);

/** The name, else the type's label. */
export const partTitle = (part: DraftPart, type: PartType | undefined) =>
  part.name?.trim() || type?.label || part.type;

/** Such as `send_email_2`. */
export function freeId(draft: Draft, base: string): string {
  const existingIds = new Set([...draft.triggers, ...draft.steps].map(({ id }) => id));
  for (let n = 1; ; n += 1) if (!existingIds.has(`${base}_${n}`)) return `${base}_${n}`;
}

export const withParts = (draft: Draft, kind: PartKind, parts: DraftPart[]): Draft => ({
  ...draft,
  [kind]: parts,
});

/** At the limit, adding changes nothing. */
export const isFull = (draft: Draft, kind: PartKind) =>
  draft[kind].length >= (kind === "triggers" ? MAX_TRIGGERS : MAX_STEPS);

/** Appends a part with its type's defaults. */
export function addPart(
  draft: Draft,
  type: PartType,
  position?: { x: number; y: number },
): { draft: Draft; id: string } {
  if (isFull(draft, type.kind)) return { draft, id: "" };
  const id = freeId(draft, type.type);
  const part: DraftPart = {
    id,
    type: type.type,
    config: { ...type.defaults },
    ...(position ? { position } : {}),
  };
  return { draft: withParts(draft, type.kind, [...draft[type.kind], part]), id };
}

/** Fields of If Condition that name a later step. */
export const NEXT_FIELDS = ["trueAction", "falseAction"];

/** Renames references except in expressions, which are the user's text. */
function renameIn(draft: Draft, from: string, to: string): Draft {
  const other = (id: string) => (id === from ? to : id);
  return {
    ...draft,
    connections: draft.connections.map((one) => ({ ...one, from: other(one.from), to: other(one.to) })),
    steps: draft.steps.map((step) => {
      const changed = NEXT_FIELDS.filter((name) => step.config[name] === from);
      if (changed.length === 0) return step;
      return {
        ...step,
        config: { ...step.config, ...Object.fromEntries(changed.map((name) => [name, to])) },
      };
    }),
  };
}

/** The branch by which a sequence goes on, of those that a type has. */
const MAIN_BRANCHES = ["done", "true", "approved"];
export const mainBranch = (type: PartType | undefined) =>
  MAIN_BRANCHES.find((name) => type?.branches.includes(name)) ?? type?.branches[0];
const isMain = ({ branch }: DraftConnection) => branch === undefined || MAIN_BRANCHES.includes(branch);

/** Removes a part. What led to it leads to what followed it: a step without a line before it would begin each run. */
export function removePart(draft: Draft, kind: PartKind, index: number): Draft {
  const part = draft[kind][index];
  if (!part) return draft;
  const rest = withParts(draft, kind, draft[kind].toSpliced(index, 1));
  if ([...rest.triggers, ...rest.steps].some(({ id }) => id === part.id)) return rest;
  const connections = rest.connections.filter(({ from, to }) => from !== part.id && to !== part.id);
  const after = rest.connections.filter((one) => one.from === part.id && one.to !== part.id && isMain(one));
  for (const before of rest.connections)
    if (before.to === part.id && before.from !== part.id)
      for (const { to } of after)
        if (!connections.some((one) => sameConnection(one, { ...before, to })))
          connections.push({ ...before, to });
  return renameIn({ ...rest, connections }, part.id, "continue");
}

export function movePart(draft: Draft, kind: PartKind, index: number, by: -1 | 1): Draft {
  const [part, other] = [draft[kind][index], draft[kind][index + by]];
  if (!part || !other) return draft;
  return withParts(draft, kind, draft[kind].with(index, other).with(index + by, part));
}

/** Inserts a copy, without connections. */
export function duplicatePart(draft: Draft, kind: PartKind, index: number): Draft {
  const part = draft[kind][index];
  if (!part || isFull(draft, kind)) return draft;
  const { position, ...rest } = part;
  const copy: DraftPart = {
    ...structuredClone(rest),
    id: freeId(draft, part.type),
    ...(position ? { position: { x: position.x + 32, y: position.y + 32 } } : {}),
  };
  return withParts(draft, kind, draft[kind].toSpliced(index + 1, 0, copy));
}

export function changePart(draft: Draft, kind: PartKind, index: number, change: Partial<DraftPart>): Draft {
  const before = draft[kind][index];
  if (!before) return draft;
  const next = withParts(draft, kind, draft[kind].with(index, { ...before, ...change }));
  return change.id !== undefined && change.id !== before.id ? renameIn(next, before.id, change.id) : next;
}

export const sameConnection = (a: DraftConnection, b: DraftConnection) =>
  a.from === b.from && a.to === b.to && (a.branch ?? "") === (b.branch ?? "");

/** The last step that a list's step can lead to: loops are closed. */
function lastTarget(steps: readonly DraftPart[], types: Types, index: number): number {
  const ends = steps.slice(0, index).flatMap((step, at) => {
    const isLoop = findPartType(types, "steps", step.type)?.branches.some(isBodyBranch);
    const end = at + bodySize(step);
    return isLoop && end >= index ? [end] : [];
  });
  return Math.min(steps.length, ...ends);
}

/** Connections equivalent to the list's order. */
export function impliedConnections(draft: Draft, types: Types): DraftConnection[] {
  const { triggers, steps } = draft;
  const [first] = steps;
  const begin = first ? triggers.map(({ id }) => ({ from: id, to: first.id })) : [];
  const ids = new Set(steps.map(({ id }) => id));
  return [
    ...begin,
    ...steps.flatMap((step, index): DraftConnection[] => {
      const from = step.id;
      const split = steps[parallelOf(steps, index)];
      // Branches of Parallel meet at the step after them.
      const follower = split ? steps.indexOf(split) + bodySize(split) + 1 : index + 1;
      const next = steps[follower]?.id;
      const type = findPartType(types, "steps", step.type);
      const last = lastTarget(steps, types, index);
      const isInside = (target: string) => steps.findIndex(({ id }) => id === target) <= last;
      const to = (branch: string, target: string | undefined) =>
        target && isInside(target) ? [{ from, to: target, branch }] : [];
      if (type?.branches.includes("true"))
        return ["true", "false"].flatMap((branch) => {
          const action = String(step.config[`${branch}Action`] ?? "continue");
          return action === "stop" ? [] : to(branch, ids.has(action) ? action : next);
        });
      if (type?.branches.includes("approved")) return to("approved", next);
      const body = type?.branches.find(isBodyBranch);
      if (body) return [...to(body, next), ...to("done", steps[index + 1 + bodySize(step)]?.id)];
      const size = isParallel(step) ? bodySize(step) : 1;
      return steps
        .slice(follower, follower + size)
        .flatMap(({ id }) => (isInside(id) ? [{ from, to: id }] : []));
    }),
  ];
}

export const connectionsOf = (draft: Draft, types: Types): DraftConnection[] =>
  draft.connections.length > 0 ? draft.connections : impliedConnections(draft, types);

export const clearDraft = (draft: Draft): Draft => ({ ...draft, triggers: [], steps: [], connections: [] });
