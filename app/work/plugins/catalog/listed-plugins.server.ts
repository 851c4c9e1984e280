import { db } from "~/core/db.server";
import { env } from "~/core/env.server";
import type { PluginManifest } from "../manifest.schema";
import { findCatalogRow } from "./catalog.repo.server";
import { ListedEntry } from "./catalog-file.schema";

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

export function listedPlugins(): readonly ListedPlugin[] {
  const url = env().PLUGIN_CATALOG_URL;
  const row = url === undefined ? undefined : findCatalogRow(db(), url);
  if (!row) return [];
  const cached = cache.get(row.url);
  if (cached?.checkedAt === row.checkedAt) return cached.plugins;
  const plugins = row.entries.flatMap((entry) => toListed(entry, new URL(row.url).host));
  cache.set(row.url, { checkedAt: row.checkedAt, plugins });
  return plugins;
}

/** Result of the last refresh. */
export function catalogState(): { host: string; problem: string | null; skipped: string[] } | undefined {
  const url = env().PLUGIN_CATALOG_URL;
  const row = url === undefined ? undefined : findCatalogRow(db(), url);
  return row && { host: new URL(row.url).host, problem: row.problem, skipped: row.skipped };
}
