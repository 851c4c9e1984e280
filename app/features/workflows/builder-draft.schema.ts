import {
  Draft,
  type DraftConnection,
  type DraftPart,
  OPTION_FIELDS,
  type PartKind,
  type PartType,
} from "./builder.schema";
import { MOST_STEPS, MOST_TRIGGERS } from "./workflows.schema";

type Types = readonly PartType[];

export const findPartType = (types: Types, kind: PartKind, type: string): PartType | undefined =>
  types.find((known) => known.kind === kind && known.type === type);

/** What is shown for a part: its name, else its type's label. */
export const partTitle = (part: DraftPart, type: PartType | undefined) =>
  part.name?.trim() || type?.label || part.type;

/** The ways on from a step; one unnamed way where the list is empty. */
export function branchesOf(part: DraftPart, type: PartType | undefined): string[] {
  return [...(type?.branches ?? []), ...(part.options?.onError === "branch" ? ["error"] : [])];
}

/** An id that no part has yet, such as `send_email_2`. */
function freeId(draft: Draft, base: string): string {
  const taken = new Set([...draft.triggers, ...draft.steps].map(({ id }) => id));
  for (let n = 1; ; n += 1) if (!taken.has(`${base}_${n}`)) return `${base}_${n}`;
}

const withParts = (draft: Draft, kind: PartKind, parts: DraftPart[]): Draft => ({ ...draft, [kind]: parts });

/** Whether a workflow can't have more of a kind; adding one then changes nothing. */
const isFull = (draft: Draft, kind: PartKind) =>
  draft[kind].length >= (kind === "triggers" ? MOST_TRIGGERS : MOST_STEPS);

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
const NEXT_FIELDS = ["trueAction", "falseAction"];

/** Follows a change of ids in what refers to them but for expressions, which are a person's text. */
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

/** Removes a part with its connections. */
export function removePart(draft: Draft, kind: PartKind, index: number): Draft {
  const part = draft[kind][index];
  if (!part) return draft;
  const rest = withParts(
    draft,
    kind,
    draft[kind].filter((_, at) => at !== index),
  );
  if ([...rest.triggers, ...rest.steps].some(({ id }) => id === part.id)) return rest;
  const connections = rest.connections.filter(({ from, to }) => from !== part.id && to !== part.id);
  return renameIn({ ...rest, connections }, part.id, "continue");
}

export function movePart(draft: Draft, kind: PartKind, index: number, by: -1 | 1): Draft {
  const parts = [...draft[kind]];
  const target = index + by;
  const [part] = parts.slice(index, index + 1);
  const other = parts[target];
  if (!part || !other) return draft;
  parts[target] = part;
  parts[index] = other;
  return withParts(draft, kind, parts);
}

/** Puts a copy behind a part; connections aren't copied. */
export function duplicatePart(draft: Draft, kind: PartKind, index: number): Draft {
  const part = draft[kind][index];
  if (!part || isFull(draft, kind)) return draft;
  const { position, ...rest } = part;
  const copy: DraftPart = {
    ...structuredClone(rest),
    id: freeId(draft, part.type),
    ...(position ? { position: { x: position.x + 32, y: position.y + 32 } } : {}),
  };
  const parts = [...draft[kind]];
  parts.splice(index + 1, 0, copy);
  return withParts(draft, kind, parts);
}

export function changePart(draft: Draft, kind: PartKind, index: number, change: Partial<DraftPart>): Draft {
  const before = draft[kind][index];
  if (!before) return draft;
  const parts = draft[kind].map((part, at) => (at === index ? { ...part, ...change } : part));
  const next = withParts(draft, kind, parts);
  return change.id !== undefined && change.id !== before.id ? renameIn(next, before.id, change.id) : next;
}

const sameConnection = (a: DraftConnection, b: DraftConnection) =>
  a.from === b.from && a.to === b.to && (a.branch ?? "") === (b.branch ?? "");

/** The connections that a list of steps stands for: the order in which it runs. */
export function impliedConnections(draft: Draft, types: Types): DraftConnection[] {
  const { triggers, steps } = draft;
  const [first] = steps;
  const begin = first ? triggers.map(({ id }) => ({ from: id, to: first.id })) : [];
  const ids = new Set(steps.map(({ id }) => id));
  return [
    ...begin,
    ...steps.flatMap((step, index): DraftConnection[] => {
      const from = step.id;
      const next = steps[index + 1]?.id;
      const type = findPartType(types, "steps", step.type);
      const to = (branch: string, target: string | undefined) =>
        target ? [{ from, to: target, branch }] : [];
      if (type?.branches.includes("true"))
        return ["true", "false"].flatMap((branch) => {
          const action = String(step.config[`${branch}Action`] ?? "continue");
          return action === "stop" ? [] : to(branch, ids.has(action) ? action : next);
        });
      if (type?.branches.includes("approved")) return to("approved", next);
      if (type?.branches.includes("each")) {
        const count = Math.max(1, Number(step.config.bodySteps) || 1);
        return [...to("each", next), ...to("done", steps[index + 1 + count]?.id)];
      }
      return next ? [{ from, to: next }] : [];
    }),
  ];
}

/** Adds a connection. The first one keeps the order that the list was for. */
export function connect(draft: Draft, connection: DraftConnection, types: Types): Draft {
  const { from, to } = connection;
  if (from === to || draft.triggers.some(({ id }) => id === to)) return draft;
  const before = draft.connections.length > 0 ? draft.connections : impliedConnections(draft, types);
  if (before.some((one) => sameConnection(one, connection))) return { ...draft, connections: before };
  return { ...draft, connections: [...before, connection] };
}

export function disconnect(draft: Draft, connection: DraftConnection): Draft {
  return { ...draft, connections: draft.connections.filter((one) => !sameConnection(one, connection)) };
}

/**
 * Adds a part behind another one, by its first free way on. A list without connections stays one, where the other part is
 * its last.
 */
export function addAfter(
  draft: Draft,
  type: PartType,
  after: string | undefined,
  types: Types,
): { draft: Draft; id: string } {
  const added = addPart(draft, type);
  if (!added.id) return added;
  const isLast = after === undefined || draft.steps.at(-1)?.id === after || draft.steps.length === 0;
  if (type.kind === "triggers" || (draft.connections.length === 0 && isLast)) return added;
  const source = after ?? draft.steps.at(-1)?.id;
  const step = draft.steps.find(({ id }) => id === source);
  if (source === undefined || (!step && !draft.triggers.some(({ id }) => id === source))) return added;
  const branches = (step && findPartType(types, "steps", step.type)?.branches) ?? [];
  const before = draft.connections.length > 0 ? draft.connections : impliedConnections(draft, types);
  const branch =
    branches.find((name) => !before.some((one) => one.from === source && one.branch === name)) ?? branches[0];
  const connection = { from: source, to: added.id, ...(branch ? { branch } : {}) };
  return { ...added, draft: { ...added.draft, connections: [...before, connection] } };
}

/** Takes everything off the canvas; name and description stay. */
export const clearDraft = (draft: Draft): Draft => ({ ...draft, triggers: [], steps: [], connections: [] });

/** What a button of the list does, such as `up.steps.2`; `add.steps` takes the type. An unknown one does nothing. */
export function applyOperation(draft: Draft, operation: string, types: Types, addType = ""): Draft {
  const [verb = "", where = "", at = ""] = operation.split(".");
  const kind: PartKind = where === "triggers" ? "triggers" : "steps";
  const index = Number(at);
  switch (verb) {
    case "add": {
      const type = findPartType(types, kind, addType);
      return type ? addPart(draft, type).draft : draft;
    }
    case "remove":
      return removePart(draft, kind, index);
    case "up":
      return movePart(draft, kind, index, -1);
    case "down":
      return movePart(draft, kind, index, 1);
    case "duplicate":
      return duplicatePart(draft, kind, index);
    case "connect":
      return { ...draft, connections: [...draft.connections, { from: "", to: "" }] };
    case "disconnect":
      return { ...draft, connections: draft.connections.filter((_, row) => row !== Number(where)) };
    case "clear":
      return clearDraft(draft);
    default:
      return draft;
  }
}

type Typed = Record<string, unknown>;
const record = (value: unknown): Typed =>
  typeof value === "object" && value !== null ? (value as Typed) : {};
const rows = (value: unknown): Typed[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown) => (typeof value === "string" ? value : "");

type Parse = (json: string) => unknown;

function parseDraft(json: unknown, parse: Parse): Draft {
  try {
    return Draft.parse(parse(text(json) || "{}"));
  } catch {
    return Draft.parse({});
  }
}

/** A browser sends neither a switch that is off nor, after conform, an empty text. */
function typedPart(part: DraftPart, typed: Typed, type: PartType | undefined): DraftPart {
  const config = { ...part.config };
  for (const { name, control } of type?.fields ?? []) {
    const value = record(typed.config)[name];
    config[name] = control.kind === "switch" ? value === "on" : text(value);
  }
  const name = text(typed.name);
  const sent = record(typed.options);
  const options = Object.fromEntries(
    OPTION_FIELDS.flatMap((key) => (sent[key] ? [[key, key === "askAfterCrash" ? true : sent[key]]] : [])),
  );
  const { name: _, options: __, ...rest } = part;
  return {
    ...rest,
    id: text(typed.id),
    ...(name ? { name } : {}),
    config,
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

/**
 * The draft of a sent form: its hidden JSON, and over it what was typed into the list's fields, where they were shown.
 *
 * @param parse reads the JSON, which on the server comes from outside
 */
export function draftFromForm(sent: Typed, types: Types, parse: Parse): Draft {
  const hidden = parseDraft(sent.draft, parse);
  const head = { name: text(sent.name), description: text(sent.description), model: text(sent.model) };
  let draft: Draft = { ...hidden, ...head };
  if (sent.view !== "list") return draft;
  draft = {
    ...draft,
    connections: rows(sent.connections).map(({ from, to, branch }) => ({
      from: text(from),
      to: text(to),
      ...(text(branch) ? { branch: text(branch) } : {}),
    })),
  };
  for (const kind of ["triggers", "steps"] as const) {
    const typed = rows(sent[kind]);
    for (const [index, part] of hidden[kind].entries()) {
      const next = typedPart(part, typed[index] ?? {}, findPartType(types, kind, part.type));
      draft = changePart(draft, kind, index, { id: next.id });
      draft = withParts(
        draft,
        kind,
        draft[kind].map((one, at) => (at === index ? next : one)),
      );
    }
  }
  return draft;
}

const isNumber = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));

function toConfig(part: DraftPart, type: PartType | undefined, model: string): Record<string, unknown> {
  const config = { ...part.config };
  for (const { name, control } of type?.fields ?? []) {
    const value = config[name];
    if (control.kind === "number") {
      if (isNumber(value)) config[name] = Number(value);
      else if (value === "" || value === undefined) delete config[name];
    }
    if (control.kind === "model" && !value && model) config[name] = model;
  }
  return config;
}

function toOptions(options: Typed | undefined): Typed | undefined {
  const kept = Object.entries(options ?? {}).flatMap(([key, value]): [string, unknown][] => {
    if (value === "" || value === false || (key === "onError" && value === "stop")) return [];
    return [[key, isNumber(value) ? Number(value) : value]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** What is saved of a draft, yet to be parsed: numbers as numbers, blank models filled, blank rows left out. */
export function toWorkflowInput(draft: Draft, types: Types) {
  const { name, description, model, triggers, steps, connections } = draft;
  const part = (kind: PartKind) => (one: DraftPart) => {
    const options = toOptions(one.options);
    return {
      id: one.id.trim(),
      type: one.type,
      ...(one.name?.trim() ? { name: one.name } : {}),
      config: toConfig(one, findPartType(types, kind, one.type), model),
      ...(options ? { options } : {}),
      ...(one.position ? { position: one.position } : {}),
    };
  };
  return {
    name,
    description,
    triggers: triggers.map(part("triggers")),
    steps: steps.map(part("steps")),
    connections: connections.filter(({ from, to }) => from || to),
  };
}
