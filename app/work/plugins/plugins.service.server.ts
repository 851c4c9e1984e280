import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { searchMatcher } from "~/core/language/find-terms";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { readBranding } from "~/team/branding/branding.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { bundledPlugins } from "./bundled/index.server";
import { type CatalogEntry, catalogOf, findEntry, toolsOf } from "./catalog.server";
import type { PluginManifest } from "./manifest.schema";
import type { BundledPlugin } from "./plugin";
import { problemOf, requireEntry } from "./plugin-tools.service.server";
import {
  findInstallationRow,
  findRating,
  type InstallationRow,
  listInstallationRows,
  listMcpServerRows,
  listRatingSums,
  saveRating,
} from "./plugins.repo.server";
import type { InstalledPlugin, Plugin, PluginQuery, PluginScreenQuery } from "./plugins.schema";
import { missingConsent } from "./requests.server";

type Filters = z.infer<typeof PluginQuery> & Partial<Pick<PluginScreenQuery, "price" | "sort">>;

function readRecords(orgId: string) {
  return {
    servers: new Set(listMcpServerRows(db(), orgId).map(({ target }) => target)),
    rows: new Map(listInstallationRows(db(), orgId).map((row) => [row.pluginId, row])),
    ratings: new Map(listRatingSums(db(), orgId).map((sum) => [sum.pluginId, sum])),
  };
}

function toBrings({ brings }: PluginManifest): Plugin["brings"] {
  return {
    prompts: (brings?.prompts ?? []).map(({ name }) => name),
    steps: (brings?.steps ?? []).map(({ label }) => label),
    templates: (brings?.templates ?? []).map(({ name }) => name),
  };
}

function requestedSettings({ requests, settings }: PluginManifest): Plugin["settings"] {
  const hosts = requests.hosts.map((host) => host.replace(/^\{|\}$/g, ""));
  const requested = settings.filter(({ name }) => hosts.includes(name) || requests.keys.includes(name));
  return requested.map(({ name, label, control }) => ({
    name,
    label,
    default: control.kind === "url" ? control.default : "",
  }));
}

function toPlugin(entry: CatalogEntry, { servers, rows, ratings }: ReturnType<typeof readRecords>): Plugin {
  const { manifest, source } = entry;
  const { purchaseUrl = null, ...facts } = manifest;
  const { listedBy = null, serverUrl = null } = source.kind === "listed" ? source : {};
  const row = rows.get(manifest.id);
  const rating = ratings.get(manifest.id);
  return {
    ...facts,
    // Bundled plugins follow the branded name.
    ...(source.kind === "bundled" ? { author: readBranding().appName } : {}),
    settings: requestedSettings(manifest),
    purchaseUrl,
    kind: source.kind,
    downloads: row?.installs ?? 0,
    rating: rating ? Math.round(rating.mean * 10) / 10 : null,
    ratings: rating?.n ?? 0,
    tools: toolsOf(entry),
    brings: toBrings(manifest),
    listedBy,
    serverUrl,
    // An installed listed server is a plugin of its own.
    installed: serverUrl ? servers.has(serverUrl) : row !== undefined && row.removedAt === null,
  };
}

const compareTitles = (a: Plugin, b: Plugin) => a.title.localeCompare(b.title, "en-US");

const COMPARE: Record<NonNullable<Filters["sort"]>, (a: Plugin, b: Plugin) => number> = {
  featured: (a, b) => Number(b.featured) - Number(a.featured),
  popular: (a, b) => b.downloads - a.downloads,
  newest: (a, b) => b.released.localeCompare(a.released),
  rated: (a, b) => (b.rating ?? 0) - (a.rating ?? 0),
};

function matches(plugin: Plugin, { category, search = "", featured, price = "all" }: Filters): boolean {
  const text = [plugin.title, plugin.author, plugin.description, ...plugin.tags].join(" ");
  return (
    (!category || plugin.categories.includes(category)) &&
    (price === "all" || plugin.pricing === price) &&
    (featured === undefined || plugin.featured === featured) &&
    searchMatcher(search)(text)
  );
}

export function listPlugins(actor: Actor, filters: Filters = {}): Plugin[] {
  authorise(actor, "screens.read");
  const records = readRecords(actor.orgId);
  const compare = COMPARE[filters.sort ?? "featured"];
  return catalogOf(actor.orgId)
    .map((entry) => toPlugin(entry, records))
    .filter((plugin) => matches(plugin, filters))
    .sort((a, b) => compare(a, b) || compareTitles(a, b));
}

export function countByCategory(actor: Actor): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { categories } of listPlugins(actor))
    for (const category of categories) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}

function toInstalled(
  entry: CatalogEntry,
  row: InstallationRow,
  records: ReturnType<typeof readRecords>,
  mayManage: boolean,
): InstalledPlugin {
  const { listedVersion = null } = entry.source.kind === "mcp" ? entry.source : {};
  return {
    id: row.id,
    pluginId: row.pluginId,
    plugin: toPlugin(entry, records),
    installedAt: new Date(row.installedAt).toISOString(),
    version: row.consent.version,
    enabled: row.enabled,
    agreedBy: row.consent.agreedBy,
    update: listedVersion === row.consent.version ? null : listedVersion,
    pending: missingConsent(entry.manifest, row.consent) ?? null,
    problem: row.enabled ? (problemOf(entry, row, mayManage) ?? null) : null,
  };
}

export function listInstalled(actor: Actor): InstalledPlugin[] {
  authorise(actor, "screens.read");
  const records = readRecords(actor.orgId);
  const mayManage = may(actor, "plugins.manage");
  const entries = new Map(catalogOf(actor.orgId).map((entry) => [entry.manifest.id, entry]));
  return [...records.rows.values()].flatMap((row) => {
    const entry = entries.get(row.pluginId);
    return entry && row.removedAt === null ? toInstalled(entry, row, records, mayManage) : [];
  });
}

export function readPlugin(actor: Actor, pluginId: string): Plugin {
  authorise(actor, "screens.read");
  return toPlugin(requireEntry(actor.orgId, pluginId), readRecords(actor.orgId));
}

export function readInstalled(actor: Actor, pluginId: string): InstalledPlugin {
  const entry = requireEntry(actor.orgId, pluginId);
  const row = findInstallationRow(db(), actor.orgId, pluginId);
  if (!row) throw new Error(`${pluginId} has no installation`);
  return toInstalled(entry, row, readRecords(actor.orgId), may(actor, "plugins.manage"));
}

export function readOwnRating(actor: Actor, pluginId: string): number | undefined {
  authorise(actor, "screens.read");
  return findRating(db(), actor.orgId, pluginId, actor.userId);
}

export function ratePlugin(actor: Actor, pluginId: string, stars: number): Plugin {
  authorise(actor, "plugins.rate");
  const { manifest } = requireEntry(actor.orgId, pluginId);
  transaction((tx) => {
    const { orgId, userId } = actor;
    if (findRating(tx, orgId, pluginId, userId) === stars) return;
    saveRating(tx, { orgId, userId, pluginId, stars, updatedAt: now() });
    append(tx, actor, {
      action: "extension.rated",
      resource: `plugin:${pluginId}`,
      details: { title: manifest.title, stars },
    });
  });
  publish({ topic: "plugins", orgId: actor.orgId });
  return readPlugin(actor, pluginId);
}

export function bundledTitles(): string[] {
  const isSample = ({ manifest }: BundledPlugin) => manifest.tags.includes("sample");
  const sorted = [...bundledPlugins].sort((a, b) => Number(isSample(b)) - Number(isSample(a)));
  return sorted.map(({ manifest }) => manifest.title);
}

const TO = "/extensions?tab=installed";

/** Keys in plugins' settings, and those of MCP servers. */
export function pluginKeyUses(orgId: string): KeyUse[] {
  const ofPlugins = listInstallationRows(db(), orgId).flatMap(({ pluginId, removedAt, settings }) => {
    const manifest = removedAt === null ? findEntry(orgId, pluginId)?.manifest : undefined;
    return (manifest?.settings ?? []).flatMap(({ name, control }) => {
      const keyId = control.kind === "key" ? settings[name] : undefined;
      return keyId && manifest ? [{ keyId: String(keyId), name: manifest.title }] : [];
    });
  });
  const ofServers = listMcpServerRows(db(), orgId).flatMap(({ title, keys, client }) =>
    [...keys, ...(client?.keyId ? [client] : [])].map(({ keyId }) => ({ keyId, name: title })),
  );
  return [...ofPlugins, ...ofServers].map((use) => ({ ...use, kind: "Plugin", to: TO }));
}
