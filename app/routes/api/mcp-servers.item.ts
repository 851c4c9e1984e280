import { endpoint, resource } from "~/http/resource.server";
import { McpServer } from "~/work/plugins/mcp/mcp.schema";
import { readMcpServer } from "~/work/plugins/mcp/mcp-servers.service.server";
import { PluginId } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/mcp-servers/{id}",
  tag: "Plugins",
  GET: endpoint({
    summary: "Get an MCP server with its tools",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: ({ actor, params }) => readMcpServer(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
