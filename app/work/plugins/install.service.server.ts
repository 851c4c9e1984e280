import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { CatalogEntry } from "./catalog.server";
import { disconnectServer } from "./mcp/mcp-client.server";
import { requireEntry } from "./plugin-tools.service.server";
import {
  findInstallationRow,
  forgetMcpCredentials,
  type InstallationRow,
  saveInstallationRow,
} from "./plugins.repo.server";
import type { InstalledPlugin, PluginConfig, PluginConfigInput } from "./plugins.schema";
import { readInstalled } from "./plugins.service.server";
import { missingConsent } from "./requests.server";
import { parseSettings, settingValues } from "./setting-values.server";

const publishChange = (orgId: string) => publish({ topic: "plugins", orgId });

/** A cache key of the row's tools. */
const nextTime = (row: InstallationRow | undefined) => laterThan(row?.updatedAt ?? 0, now());

function saveConsent(
  tx: Db,
  actor: Actor,
  { manifest }: CatalogEntry,
  row: InstallationRow | undefined,
): void {
  const isInstalled = row !== undefined && row.removedAt === null;
  const at = now();
  const { title, version, requests } = manifest;
  saveInstallationRow(tx, {
    id: row?.id ?? newId("plg"),
    orgId: actor.orgId,
    pluginId: manifest.id,
    enabled: isInstalled ? row.enabled : true,
    consent: { version, ...requests, agreedBy: actor.userId, agreedAt: at },
    settings: row?.settings ?? {},
    installs: (row?.installs ?? 0) + (isInstalled ? 0 : 1),
    installedAt: isInstalled ? row.installedAt : at,
    updatedAt: nextTime(row),
    removedAt: null,
  });
  append(tx, actor, {
    action: isInstalled ? "extension.agreed" : "extension.installed",
    resource: `plugin:${manifest.id}`,
    details: { title, version, ...requests },
  });
}

/** Undefined if installable. */
function refusalOf({ manifest, source }: CatalogEntry): string | undefined {
  const { title, author, pricing } = manifest;
  if (pricing !== "free") return `${title} is sold by ${author}. Buy it there and add its MCP server.`;
  if (source.kind !== "listed") return undefined;
  return source.serverUrl
    ? `${title} is an MCP server. Add it by its address.`
    : `${title} is offered by ${author}. Get it there.`;
}

/**
 * Installs a plugin, or accepts a newer version's permissions. Records the actor's consent to everything in the manifest's
 * `requests`.
 * @param version the version shown to the actor; any other is refused
 * @throws AppError `not_found`, `conflict`
 */
export function installPlugin(actor: Actor, pluginId: string, version?: string): InstalledPlugin {
  authorise(actor, "plugins.manage");
  const entry = requireEntry(actor.orgId, pluginId);
  const { manifest } = entry;
  const refusal = refusalOf(entry);
  if (refusal) throw new AppError("conflict", refusal);
  if (version !== undefined && version !== manifest.version)
    throw new AppError("conflict", `${manifest.title} has changed. Review its permissions again.`);
  transaction((tx) => {
    const row = findInstallationRow(tx, actor.orgId, pluginId);
    const isCurrent =
      row?.removedAt === null &&
      row.consent.version === manifest.version &&
      !missingConsent(manifest, row.consent);
    if (!isCurrent) saveConsent(tx, actor, entry, row);
  });
  publishChange(actor.orgId);
  return readInstalled(actor, pluginId);
}

/** Records that an admin reviewed the newer version. */
export function noteListedVersion(orgId: string, pluginId: string): void {
  const { manifest } = requireEntry(orgId, pluginId);
  transaction((tx) => {
    const row = findInstallationRow(tx, orgId, pluginId);
    if (!row || row.consent.version === manifest.version) return;
    const consent = { ...row.consent, version: manifest.version };
    saveInstallationRow(tx, { ...row, consent, updatedAt: nextTime(row) });
  });
}

function requireInstalled(tx: Db, actor: Actor, pluginId: string): InstallationRow {
  const row = findInstallationRow(tx, actor.orgId, pluginId);
  if (!row || row.removedAt !== null)
    throw new AppError("not_found", "This plugin isn't installed. Install it first.");
  return row;
}

/** Keeps the settings for 30 days. */
export function uninstallPlugin(actor: Actor, pluginId: string): void {
  authorise(actor, "plugins.manage");
  transaction((tx) => {
    const row = requireInstalled(tx, actor, pluginId);
    const { manifest } = requireEntry(actor.orgId, pluginId);
    saveInstallationRow(tx, { ...row, enabled: false, updatedAt: nextTime(row), removedAt: now() });
    forgetMcpCredentials(tx, actor.orgId, pluginId);
    append(tx, actor, {
      action: "extension.uninstalled",
      resource: `plugin:${pluginId}`,
      details: { title: manifest.title },
    });
  });
  void disconnectServer(pluginId);
  publishChange(actor.orgId);
}

/** The Configure form of an installed plugin. */
export function readConfig(actor: Actor, pluginId: string): PluginConfig {
  authorise(actor, "plugins.manage");
  const { manifest } = requireEntry(actor.orgId, pluginId);
  const row = requireInstalled(db(), actor, pluginId);
  return { fields: manifest.settings, values: settingValues(manifest, row.settings) };
}

/**
 * Enables or disables a plugin, or changes its settings.
 * @param complete whether the settings are a whole form, where an absent field is off or blank
 * @throws AppError `not_found`, `invalid` with the fields
 */
export function configurePlugin(
  actor: Actor,
  pluginId: string,
  { enabled, settings }: PluginConfigInput,
  complete = false,
): InstalledPlugin {
  authorise(actor, "plugins.manage");
  const { manifest } = requireEntry(actor.orgId, pluginId);
  transaction((tx) => {
    const row = requireInstalled(tx, actor, pluginId);
    const before = settingValues(manifest, row.settings);
    const after = settings ? parseSettings(actor, manifest, before, settings, complete) : before;
    // Names only: values may be personal.
    const names = Object.keys(after).filter((name) => before[name] !== after[name]);
    const isSwitched = enabled !== undefined && enabled !== row.enabled;
    if (names.length === 0 && !isSwitched) return;
    saveInstallationRow(tx, {
      ...row,
      enabled: enabled ?? row.enabled,
      settings: after,
      updatedAt: nextTime(row),
    });
    const { title } = manifest;
    const resource = `plugin:${pluginId}`;
    if (isSwitched) {
      const action = enabled ? "extension.enabled" : "extension.disabled";
      append(tx, actor, { action, resource, details: { title } });
    }
    if (names.length > 0)
      append(tx, actor, { action: "extension.updated", resource, details: { title, settings: names } });
  });
  if (enabled === false) void disconnectServer(pluginId);
  publishChange(actor.orgId);
  return readInstalled(actor, pluginId);
}
