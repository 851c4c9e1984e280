import type { PluginManifest } from "../manifest.schema";
import type { McpServerRow, McpTool } from "../plugins.repo.server";
import { isIsolated } from "./commands/sandbox.server";

/** Approved and unchanged tools. */
export function allowedTools({ tools, decisions }: Pick<McpServerRow, "tools" | "decisions">): McpTool[] {
  return tools.flatMap(({ name, hash }) => {
    const decision = Object.hasOwn(decisions, name) ? decisions[name] : undefined;
    return decision?.allowed && decision.tool.hash === hash ? [decision.tool] : [];
  });
}

/** Never verified. */
export function manifestOfServer(server: McpServerRow): PluginManifest {
  const isLocal = server.transport === "command";
  const location = isLocal ? `the command ${server.target}` : new URL(server.target).host;
  const version = server.server?.name ? `${server.server.name} ${server.server.version}`.trim() : "unnamed";
  const isolation = isIsolated()
    ? " It runs isolated by bubblewrap."
    : " It isn't isolated from this machine.";
  const count = allowedTools(server).length;
  return {
    id: server.id,
    title: server.title,
    author: isLocal ? "Local command" : location,
    icon: "Plug",
    description: `MCP server: ${location} (${version}). ${count} of ${server.tools.length} tools are allowed.${isLocal ? isolation : ""}`,
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
