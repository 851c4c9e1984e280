import { McpDecisionsInput, McpServer } from "~/features/plugins/mcp/mcp.schema";
import { decideTools } from "~/features/plugins/mcp/mcp-servers.service.server";
import { PluginId } from "~/features/plugins/plugins.schema";
import { endpoint, resource } from "~/http/resource.server";

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
