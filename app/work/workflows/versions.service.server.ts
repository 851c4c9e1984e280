import type { Actor } from "~/core/actor";
import { compareDefinitions } from "./compare-versions";
import { findStepType } from "./steps/index.server";
import { findTriggerType } from "./triggers/index.server";
import type { FieldChange, VersionChange, VersionChanges } from "./versions.schema";
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
