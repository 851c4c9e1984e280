import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, rawDatabase, transaction } from "~/core/db.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { drawnFields, type Field, type FieldSpec } from "~/core/field.schema";
import { log } from "~/core/log.server";
import { describeIssue, fieldErrorsOf } from "~/core/parse";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  type GroupId,
  type PatchOf,
  SETTINGS_GROUPS,
  type SettingAt,
  type SettingPath,
  type SettingsOf,
} from "./groups/index.schema";
import { findOrganisationId, findOrgSettings, saveOrgSettings } from "./settings.repo.server";

interface GroupState {
  values: Readonly<Record<string, unknown>>;
  stored: Readonly<Record<string, unknown>>;
  version: number;
  /** Version of each field's last change. */
  fieldVersions: Readonly<Record<string, number>>;
}

/** Invalid fields, such as a newer version's, have defaults. */
function parseStored(
  orgId: string,
  { id, values }: { id: string; values: z.ZodType<Record<string, unknown>> },
  stored: Record<string, unknown>,
) {
  const whole = values.safeParse(stored);
  if (whole.success) return whole.data;
  const wrong = new Set(whole.error.issues.map((issue) => issue.path[0]));
  log.warn("stored settings are not valid; their defaults are used", {
    orgId,
    group: id,
    fields: [...wrong],
  });
  return values.parse(Object.fromEntries(Object.entries(stored).filter(([name]) => !wrong.has(name))));
}

const readers = new Map<GroupId, (orgId: string) => GroupState>(
  SETTINGS_GROUPS.map((group) => [
    group.id,
    cachedByConfig([`settings:${group.id}`], (orgId) => {
      const row = findOrgSettings(db(), orgId, group.id);
      const stored = row?.value ?? {};
      return {
        values: Object.freeze(parseStored(orgId, group, stored)),
        stored,
        version: row?.version ?? 0,
        fieldVersions: row?.fieldVersions ?? {},
      };
    }),
  ]),
);

export function readGroupState<I extends GroupId>(
  orgId: string,
  id: I,
): Omit<GroupState, "values"> & { values: Readonly<SettingsOf<I>> } {
  const state = readers.get(id)?.(orgId);
  if (!state) throw new Error(`Settings group "${id}" not found.`);
  // This group's schema has parsed the values.
  return state as Omit<GroupState, "values"> & { values: Readonly<SettingsOf<I>> };
}

export function readSettings<I extends GroupId>(orgId: string, id: I): Readonly<SettingsOf<I>> {
  return readGroupState(orgId, id).values;
}

const splitPath = (path: SettingPath) => {
  const dot = path.indexOf(".");
  return { id: path.slice(0, dot) as GroupId, name: path.slice(dot + 1) };
};

export function readSetting<P extends SettingPath>(orgId: string, path: P): SettingAt<P> {
  const { id, name } = splitPath(path);
  return (readSettings(orgId, id) as Record<string, unknown>)[name] as SettingAt<P>;
}

export function isSettingChosen(orgId: string, path: SettingPath): boolean {
  const { id, name } = splitPath(path);
  return readGroupState(orgId, id).stored[name] !== undefined;
}

const organisations = new WeakMap<object, string>();

export function installationOrgId(): string | undefined {
  const raw = rawDatabase();
  const orgId = organisations.get(raw) ?? findOrganisationId(db());
  if (orgId !== undefined) organisations.set(raw, orgId);
  return orgId;
}

// Takes 50 µs, and every usage record needs it.
const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function orgTimeZone(orgId: string): string {
  return readSetting(orgId, "organisation.timeZone") ?? SERVER_ZONE;
}

export function installationTimeZone(): string {
  const orgId = installationOrgId();
  return orgId === undefined ? SERVER_ZONE : orgTimeZone(orgId);
}

/** Data besides settings; the owning feature validates and audits. */
type OrgRecord =
  | "custom-css"
  | "egress"
  | "embedding-consent"
  | "keyOrigins"
  | "provider-outages"
  | "sample-team"
  | "tool-policies"
  | "usage-zone"
  | "writer";

export function findOrgRecord(tx: Db, orgId: string, key: OrgRecord): Record<string, unknown> {
  return findOrgSettings(tx, orgId, key)?.value ?? {};
}

export function saveOrgRecord(tx: Db, orgId: string, key: OrgRecord, value: Record<string, unknown>): void {
  saveOrgSettings(tx, { orgId, key, value }, now());
}

interface SavedSettings<I extends GroupId> {
  values: Readonly<SettingsOf<I>>;
  version: number;
}

type Values = Readonly<Record<string, unknown>>;

function groupOf(id: GroupId) {
  const group = SETTINGS_GROUPS.find((one) => one.id === id);
  if (!group) throw new Error(`Settings group "${id}" not found.`);
  const fields: Record<string, Field> = group.fields;
  return { ...group, fields };
}
type Group = ReturnType<typeof groupOf>;

function parsePatch({ patch: schema }: Group, patch: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(patch, { error: describeIssue });
  if (!parsed.success) {
    const message = parsed.error.issues[0]?.message ?? "unknown reason";
    throw new AppError("invalid", `Invalid settings: ${message}`, {
      fields: fieldErrorsOf(parsed.error),
    });
  }
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}

function describeChange(value: unknown): string {
  if (typeof value === "boolean") return `Turned ${value ? "on" : "off"}`;
  return `Changed to ${typeof value === "string" ? `"${value}"` : String(value)}`;
}

function refuseStale(
  group: Group,
  { values, fieldVersions }: { values: Values; fieldVersions: Values },
  read: number,
): never {
  const changed = Object.entries(group.fields).filter(([name]) => Number(fieldVersions[name] ?? 0) > read);
  const fields: FieldErrors = Object.fromEntries(
    changed.map(([name, { long }]) => [
      name,
      [long ? "Changed since you opened it" : `${describeChange(values[name])} since you opened it`],
    ]),
  );
  const labels = changed.map(([, { label }]) => label).join(", ");
  throw new AppError(
    "conflict",
    `${group.label} changed since you opened it${labels ? `: ${labels}` : ""}. Check the current values and save again.`,
    { fields },
  );
}

function auditable(group: Group, values: Values, names: readonly string[]): Values {
  return Object.fromEntries(
    names.map((name) => {
      const value = values[name];
      return [name, group.fields[name]?.long ? { characters: String(value).length } : value];
    }),
  );
}

function applyPatch(tx: Db, actor: Actor, group: Group, change: Values): void {
  const { orgId } = actor;
  const { values, stored, version, fieldVersions } = readGroupState(orgId, group.id);
  const before: Values = values;
  // An explicit default survives changes of the default.
  const names = Object.keys(change).filter((name) => !isDeepStrictEqual(stored[name], change[name]));
  if (names.length === 0) return;
  const next = version + 1;
  saveOrgSettings(
    tx,
    {
      orgId,
      key: group.id,
      value: { ...stored, ...change },
      fieldVersions: { ...fieldVersions, ...Object.fromEntries(names.map((name) => [name, next])) },
    },
    now(),
  );
  const schemas = Object.fromEntries(names.map((name) => [name, group.fields[name]?.schema ?? z.unknown()]));
  append(tx, actor, {
    action: "settings.updated",
    resource: `settings:${group.id}`,
    ...changesOf(schemas, auditable(group, before, names), auditable(group, change, names)),
  });
}

/**
 * Changes only the fields in the patch. A patch without changes writes nothing.
 * @param version of the group in the form; without one the last save wins
 * @throws AppError `forbidden`; `invalid` by field; `conflict` that names the fields changed since that version
 */
export function updateSettings<I extends GroupId>(
  actor: Actor,
  id: I,
  patch: PatchOf<I>,
  version?: number,
): SavedSettings<I> {
  const group = groupOf(id);
  authorise(actor, group.permission);
  const change = parsePatch(group, patch);
  return transaction((tx) => {
    const state = readGroupState(actor.orgId, id);
    if (version !== undefined && version !== state.version) refuseStale(group, state, version);
    const values: Values = state.values;
    for (const [name, value] of Object.entries(change)) {
      const guarded = group.fields[name]?.guarded;
      if (guarded?.values.includes(value) && values[name] !== value) authorise(actor, guarded.permission);
    }
    applyPatch(tx, actor, group, change);
    const saved = readGroupState(actor.orgId, id);
    return { values: saved.values, version: saved.version };
  });
}

export interface SettingsFormGroup {
  id: string;
  label: string;
  version: number;
  fields: Record<string, FieldSpec>;
  values: Values;
}

export function readFormGroup(actor: Actor, id: GroupId): SettingsFormGroup {
  const { label, permission, fields } = groupOf(id);
  authorise(actor, permission);
  const { values, version } = readGroupState(actor.orgId, id);
  return { id, label, version, fields: drawnFields(fields), values };
}

/** Unchanged fields aren't stored as choices. */
export function pickChanges(actor: Actor, id: GroupId, sent: Values): Values {
  const present: Values = readGroupState(actor.orgId, id).values;
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => !isDeepStrictEqual(present[name], value)),
  );
}

export function saveFormGroup<I extends GroupId>(
  actor: Actor,
  id: I,
  sent: Values,
  version: number | undefined,
): void {
  updateSettings(actor, id, pickChanges(actor, id, sent) as PatchOf<I>, version);
}
