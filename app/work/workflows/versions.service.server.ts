import type { Actor } from "~/core/actor";
import { findStepType } from "./steps/index.server";
import { findTriggerType } from "./triggers/index.server";
import type {
  Connection,
  FieldChange,
  VersionChange,
  VersionChanges,
  WorkflowDefinition,
  WorkflowStep,
  WorkflowTrigger,
} from "./workflows.schema";
import { readVersion } from "./workflows.service.server";

const LABELS: Record<string, string> = {
  type: "Type",
  name: "Name",
  "options.retries": "Retries",
  "options.retryDelaySeconds": "Retry delay",
  "options.timeoutSeconds": "Time limit",
  "options.onError": "On error",
  "options.askAfterCrash": "Confirmation after a crash",
};

const typeOf = ({ part, type }: VersionChange) =>
  part === "step" ? findStepType(type) : part === "trigger" ? findTriggerType(type) : undefined;

function labelOf(change: VersionChange, { field }: FieldChange): string {
  const name = field.replace(/^config\./, "");
  return LABELS[field] ?? typeOf(change)?.fields.find((one) => one.name === name)?.label ?? name;
}

/** @throws AppError `not_found` */
export function compareVersions(actor: Actor, id: string, from: number, to: number): VersionChanges {
  const changes = compareDefinitions(readVersion(actor, id, from), readVersion(actor, id, to));
  return {
    from,
    to,
    changes: changes.map((change) => ({
      ...change,
      label: change.name ?? typeOf(change)?.label ?? change.id,
      fields: change.fields.map((field) => ({ ...field, label: labelOf(change, field) })),
    })),
  };
}

type Part = WorkflowStep | WorkflowTrigger;

const format = (value: unknown) =>
  value === undefined || value === null ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Without the canvas position. */
function fieldsOf(part: Part): Map<string, string> {
  const { config, ...rest } = part;
  const { name, options = {} } = rest as Partial<WorkflowStep>;
  const entries = [
    ["type", part.type],
    ["name", name],
    ...Object.entries(config).map(([key, value]) => [`config.${key}`, value]),
    ...Object.entries(options).map(([key, value]) => [`options.${key}`, value]),
  ] as [string, unknown][];
  return new Map(
    entries.flatMap(([key, value]) => {
      const text = format(value);
      return text === null || text === "" ? [] : [[key, text] as const];
    }),
  );
}

function compareFields(before: Part | undefined, after: Part | undefined): FieldChange[] {
  const old = before ? fieldsOf(before) : new Map<string, string>();
  const now = after ? fieldsOf(after) : new Map<string, string>();
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }));
}

/** Ids whose relative order differs. */
function findMoved(before: readonly Part[], after: readonly Part[]): Set<string> {
  const inBoth = (list: readonly Part[], other: readonly Part[]) =>
    list.filter(({ id }) => other.some((one) => one.id === id)).map(({ id }) => id);
  const old = inBoth(before, after);
  const moved = new Set<string>();
  for (const id of inBoth(after, before)) {
    if (old[0] === id) {
      old.shift();
      continue;
    }
    moved.add(id);
    old.splice(old.indexOf(id), 1);
  }
  return moved;
}

function compareParts(
  part: "step" | "trigger",
  before: readonly Part[],
  after: readonly Part[],
  hasOrder: boolean,
): VersionChange[] {
  const moved = hasOrder ? findMoved(before, after) : new Set<string>();
  const describe = (kind: VersionChange["kind"], of: Part, fields: FieldChange[]): VersionChange => ({
    kind,
    part,
    id: of.id,
    type: of.type,
    name: (of as Partial<WorkflowStep>).name ?? null,
    fields,
  });
  const changes = after.flatMap((now) => {
    const old = before.find(({ id }) => id === now.id);
    const fields = compareFields(old, now);
    if (!old) return [describe("added", now, fields)];
    if (fields.length > 0) return [describe("changed", now, fields)];
    return moved.has(now.id) ? [describe("moved", now, [])] : [];
  });
  const removed = before
    .filter(({ id }) => !after.some((now) => now.id === id))
    .map((old) => describe("removed", old, []));
  return [...changes, ...removed];
}

const connectionId = ({ from, to, branch }: Connection) => `${from} → ${to}${branch ? ` (${branch})` : ""}`;

/** Triggers, steps, then connections. */
export function compareDefinitions(before: WorkflowDefinition, after: WorkflowDefinition): VersionChange[] {
  // Order only matters without connections.
  const isList = before.connections.length === 0 && after.connections.length === 0;
  const old = new Set(before.connections.map(connectionId));
  const now = new Set(after.connections.map(connectionId));
  const connections = [...new Set([...now, ...old])].filter((id) => old.has(id) !== now.has(id));
  return [
    ...compareParts("trigger", before.triggers, after.triggers, false),
    ...compareParts("step", before.steps, after.steps, isList),
    ...connections.map((id) => ({
      kind: now.has(id) ? ("added" as const) : ("removed" as const),
      part: "connection" as const,
      id,
      type: "connection",
      name: null,
      fields: [],
    })),
  ];
}
