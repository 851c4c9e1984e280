import type { Effect } from "~/ai/tools/effects.schema";
import { db } from "~/core/db.server";
import { bundledPlugins } from "./bundled/index.server";
import { listedPlugins } from "./catalog/listed-plugins.server";
import type { PluginManifest } from "./manifest.schema";
import { allowedTools, manifestOfServer } from "./mcp/mcp-plugin.server";
import type { BundledPlugin } from "./plugin";
import { listMcpServerRows, type McpServerRow } from "./plugins.repo.server";

export interface CatalogEntry {
  manifest: PluginManifest;
  source:
    | { kind: "bundled"; plugin: BundledPlugin }
    /** `listedVersion`: of the catalog's entry with the same URL. */
    | { kind: "mcp"; server: McpServerRow; listedVersion?: string | undefined }
    /** From PLUGIN_CATALOG_URL: an MCP server, or a link to a shop. */
    | { kind: "listed"; serverUrl: string | undefined; listedBy: string };
}

export interface ToolSummary {
  name: string;
  title: string;
  description: string;
  effect: Effect;
}

const bundled: readonly CatalogEntry[] = bundledPlugins.map((plugin) => ({
  manifest: { ...plugin.manifest, verified: true },
  source: { kind: "bundled", plugin },
}));

const toEntry = (server: McpServerRow, listedVersion: string | undefined): CatalogEntry => ({
  manifest: { ...manifestOfServer(server), ...(listedVersion && { version: listedVersion }) },
  source: { kind: "mcp", server, listedVersion },
});

export function catalogOf(orgId: string): CatalogEntry[] {
  const plugins = listedPlugins();
  const versions = new Map(plugins.map(({ manifest, serverUrl }) => [serverUrl, manifest.version]));
  const servers = listMcpServerRows(db(), orgId).map((row) => toEntry(row, versions.get(row.target)));
  const fromCatalog = plugins.map(
    ({ manifest, ...source }): CatalogEntry => ({ manifest, source: { kind: "listed", ...source } }),
  );
  return [...bundled, ...servers, ...fromCatalog];
}

export function findEntry(orgId: string, pluginId: string): CatalogEntry | undefined {
  return catalogOf(orgId).find(({ manifest }) => manifest.id === pluginId);
}

export function toolsOf({ manifest, source }: CatalogEntry): ToolSummary[] {
  if (source.kind === "listed") return [];
  const tools = source.kind === "bundled" ? source.plugin.tools : allowedTools(source.server);
  return tools.map((tool) => ({
    name: `${manifest.id}.${tool.name}`,
    title: tool.title,
    description: tool.description,
    effect: "effect" in tool ? tool.effect : "outside",
  }));
}
