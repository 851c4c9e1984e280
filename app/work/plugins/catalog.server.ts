import { db } from "~/core/db.server";
import { bundledPlugins } from "./bundled/index.server";
import { listedPlugins } from "./catalog/listed-plugins.server";
import type { PluginManifest } from "./manifest.schema";
import { isIsolated } from "./mcp/commands/sandbox.server";
import type { BundledPlugin } from "./plugin";
import { listMcpServerRows, type McpServerRow, type McpTool } from "./plugins.repo.server";
import type { Plugin } from "./plugins.schema";

export interface CatalogEntry {
  manifest: PluginManifest;
  source:
    | { kind: "bundled"; plugin: BundledPlugin }
    /** `listedVersion`: of the catalog's entry with the same URL. */
    | { kind: "mcp"; server: McpServerRow; listedVersion?: string | undefined }
    /** From PLUGIN_CATALOG_URL: an MCP server, or a link to a shop. */
    | { kind: "listed"; serverUrl: string | undefined; listedBy: string };
}

const bundled: readonly CatalogEntry[] = bundledPlugins.map((plugin) => ({
  manifest: { ...plugin.manifest, verified: true },
  source: { kind: "bundled", plugin },
}));

export function catalogOf(orgId: string): CatalogEntry[] {
  const plugins = listedPlugins();
  const versions = new Map(plugins.map(({ manifest, serverUrl }) => [serverUrl, manifest.version]));
  const servers = listMcpServerRows(db(), orgId).map((server): CatalogEntry => {
    const listedVersion = versions.get(server.target);
    const manifest = { ...manifestOfServer(server), ...(listedVersion && { version: listedVersion }) };
    return { manifest, source: { kind: "mcp", server, listedVersion } };
  });
  const fromCatalog = plugins.map(
    ({ manifest, ...source }): CatalogEntry => ({ manifest, source: { kind: "listed", ...source } }),
  );
  return [...bundled, ...servers, ...fromCatalog];
}

export function findEntry(orgId: string, pluginId: string): CatalogEntry | undefined {
  return catalogOf(orgId).find(({ manifest }) => manifest.id === pluginId);
}

export function toolsOf({ manifest, source }: CatalogEntry): Plugin["tools"] {
  if (source.kind === "listed") return [];
  const tools = source.kind === "bundled" ? source.plugin.tools : allowedTools(source.server);
  return tools.map((tool) => ({
    name: `${manifest.id}.${tool.name}`,
    title: tool.title,
    description: tool.description,
    effect: "effect" in tool ? tool.effect : "outside",
  }));
}

/** Approved and unchanged tools. */
export function allowedTools({ tools, decisions }: Pick<McpServerRow, "tools" | "decisions">): McpTool[] {
  return tools.flatMap(({ name, hash, unsupported }) => {
    if (unsupported !== undefined) return [];
    const decision = Object.hasOwn(decisions, name) ? decisions[name] : undefined;
    return decision?.allowed && decision.tool.hash === hash ? [decision.tool] : [];
  });
}

/** Never verified. */
function manifestOfServer(server: McpServerRow): PluginManifest {
  const isLocal = server.transport === "command";
  const location = isLocal ? `the command ${server.target}` : new URL(server.target).host;
  const version = server.server?.name ? `${server.server.name} ${server.server.version}`.trim() : "unnamed";
  const isolation = isIsolated() ? "It runs isolated by bubblewrap." : "It isn't isolated from this machine.";
  const count = allowedTools(server).length;
  return {
    id: server.id,
    title: server.title,
    author: isLocal ? "Local command" : location,
    icon: "Plug",
    description: `MCP server: ${location} (${version}). ${count} of ${server.tools.length} tools are allowed.${isLocal ? ` ${isolation}` : ""}`,
    tags: ["mcp"],
    version: "1.0.0",
    released: new Date(server.createdAt).toISOString().slice(0, 10),
    pricing: "free",
    price: null,
    status: "active",
    verified: false,
    featured: false,
    categories: ["developer"],
    settings: [],
    requests: {
      hosts: isLocal ? [] : [location],
      keys: server.keys.map(({ name }) => name),
      effects: ["outside"],
    },
  };
}
