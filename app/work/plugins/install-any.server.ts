import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { installPlugin } from "./install.service.server";
import { McpServerInput } from "./mcp/mcp.schema";
import { addMcpServer } from "./mcp/mcp-servers.service.server";
import { requireEntry } from "./plugin-tools.service.server";
import type { InstalledPlugin } from "./plugins.schema";
import { readInstalled, readPlugin } from "./plugins.service.server";

/**
 * Installs a plugin; a listed one by adding its MCP server.
 * @throws AppError `not_found`, `conflict`; as `addMcpServer`
 */
export async function installAny(
  actor: Actor,
  pluginId: string,
  signal: AbortSignal,
): Promise<InstalledPlugin> {
  authorise(actor, "plugins.manage");
  const { manifest, source } = requireEntry(actor.orgId, pluginId);
  if (source.kind !== "listed" || !source.serverUrl) return installPlugin(actor, pluginId);
  if (readPlugin(actor, pluginId).installed)
    throw new AppError("conflict", `${manifest.title} is already installed.`);
  const input = McpServerInput.parse({ title: manifest.title, url: source.serverUrl });
  const { id } = await addMcpServer(actor, input, signal);
  return readInstalled(actor, id);
}
