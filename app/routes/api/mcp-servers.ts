import { created, endpoint, resource } from "~/http/resource.server";
import { McpServer, McpServerInput } from "~/work/plugins/mcp/mcp.schema";
import { addMcpServer } from "~/work/plugins/mcp/mcp-servers.service.server";

const route = resource({
  path: "/api/mcp-servers",
  tag: "Plugins",
  POST: endpoint({
    summary: "Add and install an MCP server",
    description:
      "Connects to it by streamable HTTP and lists its tools. None can be called until they are allowed with `PUT /api/mcp-servers/{id}/tools`.",
    access: "plugins.manage",
    body: McpServerInput,
    response: McpServer,
    status: 201,
    handle: async ({ actor, body, context }) => {
      const server = await addMcpServer(actor, body, context.closed);
      return created(server, `/api/mcp-servers/${server.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
