import type { Actor } from "~/core/actor";
import { findStepType } from "./steps/index.server";
import { asText, isBlank } from "./steps/step-config";
import { findTriggerType } from "./triggers/index.server";
import type {
  Connection,
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

type Part = WorkflowTrigger & Partial<Pick<WorkflowStep, "name" | "options">>;

/** Texts by field, without the canvas position. */
function fieldsOf({ type, name, config, options = {} }: Part): Map<string, string> {
  const fields: [string, unknown][] = [
    ["type", type],
    ["name", name],
    ...Object.entries(config).map(([key, value]): [string, unknown] => [`config.${key}`, value]),
    ...Object.entries(options).map(([key, value]): [string, unknown] => [`options.${key}`, value]),
  ];
  return new Map(fields.filter(([, value]) => !isBlank(value)).map(([key, value]) => [key, asText(value)]));
}

/** Ids whose relative order differs. */
function findMoved(before: readonly Part[], after: readonly Part[]): Set<string> {
  const inBoth = (list: readonly Part[], other: readonly Part[]) =>
    list.filter(({ id }) => other.some((one) => one.id === id)).map(({ id }) => id);
  const old = inBoth(before, after);
  const moved = new Set<string>();
  for (const id of inBoth(after, before)) {
    if (old[0] !== id) moved.add(id);
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
  const describe = (kind: VersionChange["kind"], now: Part, old?: Part): VersionChange => {
    const { id, type, name = null } = now;
    const { label, fields } = (part === "step" ? findStepType(type) : findTriggerType(type)) ?? {};
    const labelOf = (field: string) => {
      const own = field.replace(/^config\./, "");
      return LABELS[field] ?? fields?.find((one) => one.name === own)?.label ?? own;
    };
    const [to, from] = [kind === "removed" ? undefined : fieldsOf(now), old && fieldsOf(old)];
    const changed = [...new Set([...(to?.keys() ?? []), ...(from?.keys() ?? [])])]
      .filter((field) => from?.get(field) !== to?.get(field))
      .map((field) => ({
        field,
        before: from?.get(field) ?? null,
        after: to?.get(field) ?? null,
        label: labelOf(field),
      }));
    return { kind, part, id, type, name, fields: changed, label: name ?? label ?? id };
  };
  const changes = after.flatMap((now) => {
    const old = before.find(({ id }) => id === now.id);
    const change = describe(old ? "changed" : "added", now, old);
    if (!old || change.fields.length > 0) return [change];
    return moved.has(now.id) ? [{ ...change, kind: "moved" as const }] : [];
  });
  const removed = before.filter(({ id }) => !after.some((now) => now.id === id));
  return [...changes, ...removed.map((old) => describe("removed", old))];
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
    ...connections.map((id): VersionChange => {
      const kind = now.has(id) ? "added" : "removed";
      return { kind, part: "connection", id, type: "connection", name: null, fields: [], label: id };
    }),
  ];
}

/** @throws AppError `not_found` */
export function compareVersions(actor: Actor, id: string, from: number, to: number): VersionChanges {
  const changes = compareDefinitions(readVersion(actor, id, from), readVersion(actor, id, to));
  return { from, to, changes };
}
