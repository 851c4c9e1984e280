import type { z } from "zod";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, rawDatabase } from "~/core/db.server";
import { log } from "~/core/log.server";
import {
  type GroupId,
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
  // Parsed by this group's schema.
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
  | "tool-policies"
  | "usage-zone";

export function findOrgRecord(tx: Db, orgId: string, key: OrgRecord): Record<string, unknown> {
  return findOrgSettings(tx, orgId, key)?.value ?? {};
}

export function saveOrgRecord(tx: Db, orgId: string, key: OrgRecord, value: Record<string, unknown>): void {
  saveOrgSettings(tx, { orgId, key, value }, now());
}
