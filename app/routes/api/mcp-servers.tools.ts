import { endpoint, resource } from "~/http/resource.server";
import { McpDecisionsInput, McpServer } from "~/work/plugins/mcp/mcp.schema";
import { decideTools } from "~/work/plugins/mcp/mcp-servers.service.server";
import { PluginId } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/mcp-servers/{id}/tools",
  tag: "Plugins",
  PUT: endpoint({
    summary: "Choose the tools of an MCP server that can be called",
    description:
      "Each is named with its hash, so that a tool that changed meanwhile isn't allowed. Tools that aren't named are denied.",
    access: "plugins.manage",
    params: PluginId,
    body: McpDecisionsInput,
    response: McpServer,
    handle: ({ actor, params, body }) => decideTools(actor, params.id, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
