import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { McpServer } from "~/work/plugins/mcp/mcp.schema";
import { disconnectAccount, startConnect } from "~/work/plugins/mcp/oauth/connect.service.server";
import { PluginId } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/mcp-servers/{id}/account",
  tag: "Plugins",
  POST: endpoint({
    summary: "Start the sign-in at an MCP server that requires OAuth",
    description: "Open the returned address in the browser that is signed in here, within 15 minutes.",
    access: "plugins.manage",
    params: PluginId,
    response: z.object({ url: z.string() }),
    handle: ({ actor, params, context }) => startConnect(actor, params.id, context.origin),
  }),
  DELETE: endpoint({
    summary: "Disconnect an MCP server from its account",
    description: "Deletes the tokens, and revokes them if the authorization server supports it.",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: ({ actor, params }) => disconnectAccount(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
