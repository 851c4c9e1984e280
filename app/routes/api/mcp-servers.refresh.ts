import { endpoint, resource } from "~/http/resource.server";
import { McpServer } from "~/work/plugins/mcp/mcp.schema";
import { refreshMcpServer } from "~/work/plugins/mcp/mcp-servers.service.server";
import { PluginId } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/mcp-servers/{id}/refresh",
  tag: "Plugins",
  POST: endpoint({
    summary: "Check an MCP server's tools now",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: ({ actor, params, context }) => refreshMcpServer(actor, params.id, context.closed),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
