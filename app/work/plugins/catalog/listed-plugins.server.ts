import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { laterThan } from "~/core/edits.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { clip } from "~/core/well-formed";
import { publish } from "~/platform/events/events.service.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { bundledPlugins } from "../bundled/index.server";
import { readText } from "../bundled/outside-text.server";
import type { PluginManifest } from "../manifest.schema";
import { findCatalogRow, saveCatalogRow } from "../plugins.repo.server";
import { ListedEntry, readCatalog } from "./read-catalog";

interface ListedPlugin {
  manifest: PluginManifest;
  /** Undefined for a link to a shop. */
  serverUrl: string | undefined;
  listedBy: string;
}

function toListed(stored: unknown, listedBy: string): ListedPlugin[] {
  // May be of an older version.
  const parsed = ListedEntry.safeParse(stored);
  if (!parsed.success) return [];
  const { server, ...facts } = parsed.data;
  const manifest: PluginManifest = {
    ...facts,
    icon: server ? "Plug" : "Store",
    // A catalog can't verify or feature its entries.
    verified: false,
    featured: false,
    settings: [],
    requests: {
      hosts: server ? [new URL(server.url).host] : [],
      keys: [],
      effects: server ? ["outside"] : [],
    },
  };
  return [{ manifest, serverUrl: server?.url, listedBy }];
}

const cache = new Map<string, { checkedAt: number; plugins: ListedPlugin[] }>();

function currentCatalog() {
  const url = env().PLUGIN_CATALOG_URL;
  return url === undefined ? undefined : findCatalogRow(db(), url);
}

export function listedPlugins(): readonly ListedPlugin[] {
  const row = currentCatalog();
  if (!row) return [];
  const cached = cache.get(row.url);
  if (cached?.checkedAt === row.checkedAt) return cached.plugins;
  const plugins = row.entries.flatMap((entry) => toListed(entry, new URL(row.url).host));
  cache.set(row.url, { checkedAt: row.checkedAt, plugins });
  return plugins;
}

/** Result of the last refresh. */
export function catalogState(): { host: string; problem: string | null; skipped: string[] } | undefined {
  const row = currentCatalog();
  return row && { host: new URL(row.url).host, problem: row.problem, skipped: row.skipped };
}

const MAX_BYTES = 2_000_000;

const fetchCatalog = guardedFetch("plugins:catalog", {
  timeoutMs: 30_000,
  silenceMs: 15_000,
  maxBytes: MAX_BYTES,
});

const bundledIds = new Set(bundledPlugins.map(({ manifest }) => manifest.id));

/** Refreshes from `PLUGIN_CATALOG_URL`; a failure keeps the old entries. */
export async function refreshCatalog(signal: AbortSignal): Promise<void> {
  const url = env().PLUGIN_CATALOG_URL;
  if (url === undefined) return;
  const before = findCatalogRow(db(), url);
  const stored = { url, entries: before?.entries ?? [], skipped: before?.skipped ?? [] };
  // Increases with each refresh: a cache key.
  const checkedAt = laterThan(before?.checkedAt ?? 0, now());
  try {
    const text = await readText(await fetchCatalog(url, { signal }));
    const { entries, skipped } = readCatalog(text, bundledIds);
    transaction((tx) => saveCatalogRow(tx, { ...stored, entries, skipped, problem: null, checkedAt }));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof AppError)) log.warn("the plugin catalog can't be read", { error });
    const problem = error instanceof AppError ? error.message : "It can't be reached.";
    transaction((tx) => saveCatalogRow(tx, { ...stored, problem: clip(problem, 500), checkedAt }));
  }
  const orgId = installationOrgId();
  if (orgId !== undefined) publish({ topic: "plugins", orgId });
}
