import { isDeepStrictEqual } from "node:util";
import type { Actor } from "~/core/actor";
import { drawnFields, type FieldSpec } from "~/core/field.schema";
import { authorise } from "~/platform/rights/authorization.server";
import { type GroupId, type PatchOf, SETTINGS_GROUPS } from "./groups/index.schema";
import { readGroupState } from "./read-settings.service.server";
import { updateSettings } from "./update-settings.service.server";

type Values = Readonly<Record<string, unknown>>;

export interface SettingsFormGroup {
  id: string;
  label: string;
  /** Detects conflicting saves. */
  version: number;
  fields: Record<string, FieldSpec>;
  values: Values;
}

export function readFormGroup(actor: Actor, id: GroupId): SettingsFormGroup {
  const group = SETTINGS_GROUPS.find((one) => one.id === id);
  if (!group) throw new Error(`Settings group "${id}" not found.`);
  authorise(actor, group.permission);
  const { values, version } = readGroupState(actor.orgId, id);
  return {
    id,
    label: group.label,
    version,
    fields: drawnFields(group.fields),
    values,
  };
}

/** Unchanged fields aren't stored as choices. */
export function pickChanges(actor: Actor, id: GroupId, sent: Values): Values {
  const present: Values = readGroupState(actor.orgId, id).values;
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => !isDeepStrictEqual(present[name], value)),
  );
}

/** @throws AppError as `updateSettings` */
export function saveFormGroup<I extends GroupId>(
  actor: Actor,
  id: I,
  sent: Values,
  version: number | undefined,
): void {
  updateSettings(actor, id, pickChanges(actor, id, sent) as PatchOf<I>, version);
}
